package io.poolkeeper.testbed.simulator.engine.station;

import io.poolkeeper.testbed.simulator.engine.event.Time;

/**
 * CPU time that is left of a quota in the current period.
 *
 * <p>It is brought up to date when the server looks at it, so an idle server costs no events.
 */
public final class CpuBudget {

  /** CPU nanoseconds below which nothing is left: times of events are whole nanoseconds. */
  private static final double NOTHING = 0.5;

  private final double cores;
  private final long period;
  private final double full;
  private final double burst;
  private long next;
  private double left;

  /**
   * @param cores of the quota
   * @param period nanoseconds, above 0
   * @param burst CPU nanoseconds of earlier periods that may be left over at most
   * @param offset nanoseconds from the start to the beginning of a period, below the period
   */
  public CpuBudget(double cores, long period, double burst, long offset) {
    this.cores = cores;
    this.period = period;
    full = cores * period;
    next = offset == 0 ? period : offset;
    this.burst = burst;
    left = full;
  }

  double cores() {
    return cores;
  }

  /** Start of the next period. */
  long next() {
    return next;
  }

  boolean usedUp() {
    return left < NOTHING;
  }

  /** Accounts for CPU nanoseconds of the current period. */
  void use(double nanos) {
    left -= nanos;
  }

  /** Begins the period of this time. Less than a nanosecond that was used too much is owed. */
  void renew(long now) {
    if (now >= next) {
      long passed = (now - next) / period;
      left = full + Math.min(burst, left + passed * full);
      next += (passed + 1) * period;
    }
  }

  /**
   * Returns when something changes for tasks that use the CPU at this rate: the quota is used up,
   * or a period begins.
   */
  long changes(double cpuRate, long now) {
    if (usedUp() || cpuRate <= 0) {
      return next;
    }
    return Math.min(next, now + Time.nanosUp(Time.seconds(left) / cpuRate));
  }
}
