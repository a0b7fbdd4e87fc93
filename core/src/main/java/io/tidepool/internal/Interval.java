package io.tidepool.internal;

import io.tidepool.TimeStats;

/** The tasks that one stripe has seen end since the window began. Used under the stripe's guard. */
final class Interval {

  /**
   * Of tasks that did not wait: their service time is their response time, so one record serves.
   */
  private final Durations immediate = new Durations();

  private final Durations queueWait = new Durations();
  private final Durations serviceTime = new Durations();
  private final Durations responseTime = new Durations();
  private long failures;
  private long withinBound;

  /** Notes a task that was timed. */
  void record(long wait, long service, boolean failed, long bound) {
    if (wait == 0) {
      immediate.record(service);
    } else {
      queueWait.record(wait);
      serviceTime.record(service);
      responseTime.record(wait + service);
    }
    if (failed) {
      failures++;
    } else if (wait + service <= bound) {
      withinBound++;
    }
  }

  /** Notes a task that failed and was not timed. */
  void untimedFailure() {
    failures++;
  }

  /** Tasks that were timed. */
  long timed() {
    return immediate.count() + responseTime.count();
  }

  long failures() {
    return failures;
  }

  long withinBound() {
    return withinBound;
  }

  /** The distributions of all tasks that were timed. */
  record Times(TimeStats queueWait, TimeStats serviceTime, TimeStats responseTime) {}

  /** Sums up; only {@link #reset} may follow. */
  Times close() {
    if (immediate.count() > 0) {
      queueWait.recordZeros(immediate.count());
    }
    return new Times(queueWait.stats(), withImmediate(serviceTime), withImmediate(responseTime));
  }

  private TimeStats withImmediate(Durations waited) {
    if (waited.count() == 0) {
      return immediate.stats();
    }
    waited.add(immediate);
    return waited.stats();
  }

  void add(Interval other) {
    immediate.add(other.immediate);
    queueWait.add(other.queueWait);
    serviceTime.add(other.serviceTime);
    responseTime.add(other.responseTime);
    failures += other.failures;
    withinBound += other.withinBound;
  }

  void reset() {
    immediate.reset();
    queueWait.reset();
    serviceTime.reset();
    responseTime.reset();
    failures = 0;
    withinBound = 0;
  }
}
