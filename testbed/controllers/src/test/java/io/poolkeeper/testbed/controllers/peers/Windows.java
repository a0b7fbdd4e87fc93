package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Window;

/** Windows with what a {@link io.poolkeeper.testkit.WindowBuilder} does not say. */
final class Windows {

  private Windows() {}

  static Window withProcessCpu(Window w, long nanos) {
    return with(w, w.workerCpu(), nanos);
  }

  static Window withWorkerCpu(Window w, long nanos) {
    return with(w, nanos, w.processCpu());
  }

  private static Window with(Window w, long workerCpu, long processCpu) {
    return Window.builder(w.start(), w.end(), w.size())
        .busy(w.busy())
        .queue(w.queueMean(), w.queueMax())
        .arrivals(w.arrivals())
        .completions(w.completions())
        .failures(w.failures())
        .rejections(w.rejections())
        .withinBound(w.withinBound())
        .times(w.queueWait(), w.serviceTime(), w.responseTime())
        .cpu(workerCpu, processCpu)
        .gc(w.gc())
        .build();
  }
}
