package io.poolkeeper.testbed.tunnel.flight;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.ForwardingPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import io.poolkeeper.testbed.tunnel.course.Course;

/**
 * Makes a trace of what a control loop's listener hears and of what a policy answers. The expected
 * work comes from the CPU time of the workers: the simulator charges it in proportion to the rate
 * of the plant, so it is that rate integrated, without the chance of each task's work.
 */
final class FlightRecorder implements ControlListener {

  private static final double NANOS = 1e9;

  private final Bounds bounds;
  private final Course course;
  private final double[] work;
  private final Steps.Builder sizes = new Steps.Builder();

  private boolean windowsTellSizes;

  /**
   * @param bounds of the pool
   */
  FlightRecorder(Course course, Bounds bounds) {
    this.bounds = bounds;
    this.course = course;
    work = new double[course.seconds()];
  }

  /** Takes the sizes from the windows: a loop changes them between two of these only. */
  void sizesFromWindows() {
    windowsTellSizes = true;
  }

  @Override
  public void onWindow(Resizable pool, Window window) {
    double from = window.start() / NANOS;
    double to = Math.min(window.end() / NANOS, work.length);
    if (windowsTellSizes) {
      sizes.add(from, window.size());
    }
    double rate = window.workerCpu() / NANOS / cpuOfUnitRate(from, to);
    for (double at = from; at < to; ) {
      int second = (int) at;
      double end = Math.min(to, second + 1);
      work[second] += rate * (end - at);
      at = end;
    }
  }

  /** CPU seconds that one task a second would need between two times. */
  private double cpuOfUnitRate(double from, double to) {
    double cpu = 0;
    for (double at = from; at < to; ) {
      int stage = course.stageAt(at);
      double end = Math.min(to, course.end(stage));
      cpu += course.stages().get(stage).plant().cpuSeconds() * (end - at);
      at = end;
    }
    return cpu;
  }

  /** The policy, whose answers are heard. */
  EventPolicy hearing(EventPolicy policy) {
    sizes.add(0, bounds.clamp(policy.initialSize()));
    return new RecordedPolicy(policy);
  }

  private int note(PoolState pool, int wanted) {
    sizes.add(pool.now() / NANOS, bounds.clamp(wanted));
    return wanted;
  }

  private final class RecordedPolicy extends ForwardingPolicy {
    RecordedPolicy(EventPolicy policy) {
      super(policy);
    }

    @Override
    public int arrived(PoolState pool) {
      return note(pool, policy.arrived(pool));
    }

    @Override
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      return note(pool, policy.ended(pool, wait, service, outcome));
    }

    @Override
    public int elapsed(PoolState pool) {
      return note(pool, policy.elapsed(pool));
    }
  }

  /** Returns the trace of what was heard. */
  Trace trace(RequestStats requests) {
    return new Trace(
        work, sizes.build(), requests.completions(), requests.responseTime().mean().value());
  }
}
