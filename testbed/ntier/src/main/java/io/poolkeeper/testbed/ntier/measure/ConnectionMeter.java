package io.poolkeeper.testbed.ntier.measure;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Measures the uses of connections: the wait for one, and the time until it is given back. */
public final class ConnectionMeter {

  private final Occupancy waiting;
  private final Occupancy held;
  private final LongAdder uses = new LongAdder();
  private final LongAdder statements = new LongAdder();
  private final LongAdder statementNanos = new LongAdder();
  private final LongSupplier clock;

  /**
   * @param clock nanoseconds of a monotonic clock
   */
  public ConnectionMeter(LongSupplier clock) {
    this.clock = clock;
    waiting = new Occupancy(clock);
    held = new Occupancy(clock);
  }

  /** A caller asks for a connection. */
  public void ask() {
    waiting.enter();
  }

  /** It has got none. */
  public void giveUp() {
    waiting.exit();
  }

  /** It has got one. */
  public void take() {
    held.enter();
    waiting.exit();
    uses.increment();
  }

  /** It gives the connection back. */
  public void giveBack() {
    held.exit();
  }

  /** Reads the clock, before a round trip to the database. */
  public long now() {
    return clock.getAsLong();
  }

  /**
   * Counts a round trip that has ended.
   *
   * @param begun what {@link #now} returned before it
   */
  public void roundTrip(long begun) {
    statementNanos.add(clock.getAsLong() - begun);
    statements.increment();
  }

  /** Callers that wait. */
  public Occupancy.Reading waiting() {
    return waiting.read();
  }

  /** Connections in use. */
  public Occupancy.Reading held() {
    return held.read();
  }

  /** Uses of connections that have begun since the start. */
  public long uses() {
    return uses.sum();
  }

  /** Round trips to the database since the start. */
  public long statements() {
    return statements.sum();
  }

  /** Sum of the times of these round trips, nanoseconds. */
  public long statementNanos() {
    return statementNanos.sum();
  }
}
