package io.poolkeeper.spi;

import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;

/**
 * The tasks that ended since a window began, for a {@link io.poolkeeper.Sensor} that times them
 * itself. Every window of the library is made of it, so that all percentiles mean the same. Not
 * thread-safe.
 */
public final class EndedTasks {

  /**
   * Of tasks that did not wait: their service time is their response time, so one record serves.
   */
  private final Durations immediate;

  private final Durations queueWait;
  private final Durations serviceTime;
  private final Durations responseTime;
  private long failures;
  private long withinBound;

  /** Begins with none, and with the usual percentiles. */
  public EndedTasks() {
    this(Objective.throughput());
  }

  /**
   * Begins with none.
   *
   * @param objective whose percentile is measured besides the usual ones
   */
  public EndedTasks(Objective objective) {
    double further = objective.fraction().orElse(Double.NaN);
    immediate = new Durations(further);
    queueWait = new Durations(further);
    serviceTime = new Durations(further);
    responseTime = new Durations(further);
  }

  /**
   * Notes a task that was timed.
   *
   * @param wait from its arrival to its start, nanoseconds; one below 0 counts as 0
   * @param service from its start to its end, nanoseconds; one below 0 counts as 0
   * @param failed whether it threw
   * @param bound response time within which it counts as good, nanoseconds; {@link Long#MAX_VALUE}
   *     for any
   */
  public void record(long wait, long service, boolean failed, long bound) {
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
  public void untimedFailure() {
    failures++;
  }

  /** Tasks that were timed. */
  public long timed() {
    return immediate.count() + responseTime.count();
  }

  /** Tasks that failed. */
  public long failures() {
    return failures;
  }

  /** Tasks that did not fail, timed and within the bound. */
  public long withinBound() {
    return withinBound;
  }

  /**
   * The distributions of all tasks that were timed.
   *
   * @param queueWait from arrival to start
   * @param serviceTime from start to end
   * @param responseTime from arrival to end
   */
  public record Times(TimeStats queueWait, TimeStats serviceTime, TimeStats responseTime) {}

  /** Sums up; only {@link #reset} may follow. */
  public Times close() {
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

  /** Takes over what another one noted. */
  public void add(EndedTasks other) {
    immediate.add(other.immediate);
    queueWait.add(other.queueWait);
    serviceTime.add(other.serviceTime);
    responseTime.add(other.responseTime);
    failures += other.failures;
    withinBound += other.withinBound;
  }

  /** Forgets everything. */
  public void reset() {
    immediate.reset();
    queueWait.reset();
    serviceTime.reset();
    responseTime.reset();
    failures = 0;
    withinBound = 0;
  }
}
