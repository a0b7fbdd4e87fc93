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
    return new Window(
        w.start(),
        w.end(),
        w.size(),
        w.busy(),
        w.queueMean(),
        w.queueMax(),
        w.arrivals(),
        w.completions(),
        w.failures(),
        w.rejections(),
        w.withinBound(),
        w.queueWait(),
        w.serviceTime(),
        w.responseTime(),
        workerCpu,
        processCpu,
        w.gc());
  }
}
