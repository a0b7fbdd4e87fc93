package io.tidepool.testbed.tunnel;

import io.tidepool.ControlListener;
import io.tidepool.Resizable;
import io.tidepool.Window;
import io.tidepool.testbed.simulator.statistics.RequestStats;

/**
 * Makes a trace of what a control loop's listener hears. The expected work comes from the CPU time
 * of the workers: the simulator charges it in proportion to the rate of the plant, so it is that
 * rate integrated, without the chance of each task's work.
 */
final class FlightRecorder implements ControlListener {

  private static final double NANOS = 1e9;

  private final double cpuSeconds;
  private final double[] work;
  private final Steps.Builder sizes = new Steps.Builder();

  FlightRecorder(Course course) {
    cpuSeconds = course.stages().get(0).plant().cpuSeconds();
    work = new double[course.seconds()];
  }

  @Override
  public void onWindow(Resizable pool, Window window) {
    double from = window.start() / NANOS;
    double to = Math.min(window.end() / NANOS, work.length);
    sizes.add(from, window.size());
    double rate = window.workerCpu() / NANOS / cpuSeconds / window.seconds();
    for (double at = from; at < to; ) {
      int second = (int) at;
      double end = Math.min(to, second + 1);
      work[second] += rate * (end - at);
      at = end;
    }
  }

  /** What was heard. */
  Trace trace(RequestStats requests) {
    return new Trace(
        work, sizes.build(), requests.completions(), requests.responseTime().mean().value());
  }
}
