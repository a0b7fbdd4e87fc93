package io.poolkeeper.spi;

import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;

/**
 * Accumulator of the tasks that ended since a window began, for a {@link io.poolkeeper.Sensor} that
 * times tasks itself. Every window of the library uses it, so that all percentiles mean the same.
 * Not thread-safe.
 */
public final class EndedTasks {

  /** Service times of tasks that did not wait, which are their response times as well. */
  private final Durations immediate;

  private final Durations queueWait;
  private final Durations serviceTime;
  private final Durations responseTime;
  private long failures;
  private long withinBound;

  /** Makes an empty accumulator with the usual percentiles. */
  public EndedTasks() {
    this(Objective.throughput());
  }

  /**
   * Makes an empty accumulator.
   *
   * @param objective its percentile is measured as well as the usual ones
   */
  public EndedTasks(Objective objective) {
    double further = objective.fraction().orElse(Double.NaN);
    immediate = new Durations(further);
    queueWait = new Durations(further);
    serviceTime = new Durations(further);
    responseTime = new Durations(further);
  }

  /**
   * Records a task with its times.
   *
   * @param wait from its arrival to its start, nanoseconds; one below 0 counts as 0
   * @param service from its start to its end, nanoseconds; one below 0 counts as 0
   * @param failed whether it threw
   * @param bound response time within which a completion counts, nanoseconds; {@link
   *     Long#MAX_VALUE} for any
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

  /** Returns the number of tasks recorded with their times. */
  public long timed() {
    return immediate.count() + responseTime.count();
  }

  /** Returns the number of tasks that failed. */
  public long failures() {
    return failures;
  }

  /** Returns the number of tasks that completed within the bound. */
  public long withinBound() {
    return withinBound;
  }

  /**
   * Statistics of the tasks recorded with their times.
   *
   * @param queueWait from arrival to start
   * @param serviceTime from start to end
   * @param responseTime from arrival to end
   */
  public record Times(TimeStats queueWait, TimeStats serviceTime, TimeStats responseTime) {}

  /** Computes the statistics; only {@link #reset} may follow. */
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

  /** Adds the tasks of another accumulator. */
  public void add(EndedTasks other) {
    immediate.add(other.immediate);
    queueWait.add(other.queueWait);
    serviceTime.add(other.serviceTime);
    responseTime.add(other.responseTime);
    failures += other.failures;
    withinBound += other.withinBound;
  }

  /** Empties the accumulator. */
  public void reset() {
    immediate.reset();
    queueWait.reset();
    serviceTime.reset();
    responseTime.reset();
    failures = 0;
    withinBound = 0;
  }
}
