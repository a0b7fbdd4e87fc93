package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Require;

/**
 * A rule that gathers the tasks of an interval and changes its limit at the end of it. The limit
 * stays within 1 and its maximum, and is rounded down. Dropped tasks do not count.
 */
abstract class IntervalRule implements SampleRule {

  private final int maximum;
  private final long interval;
  private double limit;
  private boolean begun;
  private long since;

  /**
   * @param initial first limit, 1 or more
   * @param maximum largest limit, {@code initial} or more
   * @param interval longest interval, nanoseconds; it ends with a task
   */
  IntervalRule(int initial, int maximum, long interval) {
    Require.atLeast(1, "initial", initial);
    Require.ordered("initial", initial, "maximum", maximum);
    this.limit = initial;
    this.maximum = maximum;
    this.interval = interval;
  }

  /**
   * Adds a task to the interval.
   *
   * @param time of the task, nanoseconds, positive
   * @return whether the interval ends with it, however long it lasts
   */
  abstract boolean add(long time);

  /** Ends the interval and returns the next limit, which may be out of bounds. */
  abstract double next(double limit);

  @Override
  public final int limit() {
    return (int) limit;
  }

  /** Returns the limit before it is rounded down. */
  final double exactLimit() {
    return limit;
  }

  @Override
  public final void sample(long start, long time, int inFlight, boolean dropped) {
    if (time <= 0 || dropped) {
      return;
    }
    long end = start + time;
    if (!begun) {
      begun = true;
      since = end;
    }
    if (add(time) || end - since >= interval) {
      limit = Math.max(1, Math.min(maximum, next(limit)));
      since = end;
    }
  }
}
