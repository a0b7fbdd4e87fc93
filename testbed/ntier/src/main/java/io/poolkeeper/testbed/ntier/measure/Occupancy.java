package io.poolkeeper.testbed.ntier.measure;

import java.util.function.LongSupplier;

/**
 * A number of busy things, and its integral over time. By Little's law the difference of two
 * integrals, divided by the time between them, is the mean number that was busy.
 */
public final class Occupancy {

  private final LongSupplier clock;
  private int busy;
  private long changed;
  private long integral;

  /**
   * @param clock nanoseconds of a monotonic clock
   */
  public Occupancy(LongSupplier clock) {
    this.clock = clock;
    changed = clock.getAsLong();
  }

  /** One more is busy. */
  public void enter() {
    add(1);
  }

  /** One fewer is busy. */
  public void exit() {
    add(-1);
  }

  private synchronized void add(int change) {
    advance();
    busy += change;
  }

  private void advance() {
    long now = clock.getAsLong();
    integral += busy * (now - changed);
    changed = now;
  }

  /** Returns both at one instant. */
  public synchronized Reading read() {
    advance();
    return new Reading(busy, integral);
  }

  /**
   * An occupancy at an instant.
   *
   * @param busy how many are busy
   * @param nanos integral of that number over the time since the start, nanoseconds
   */
  public record Reading(int busy, long nanos) {}
}
