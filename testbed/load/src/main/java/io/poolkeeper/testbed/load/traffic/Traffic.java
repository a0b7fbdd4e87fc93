package io.poolkeeper.testbed.load.traffic;

import io.poolkeeper.testbed.load.description.LoadDescription;

/**
 * The requests of one load thread, and their times. Knows no clock and no sockets; times are
 * nanoseconds of {@link System#nanoTime}, or of a virtual clock. Not safe for several threads.
 */
public interface Traffic {

  /**
   * Begins the first phase of a load at {@code start}, now or a moment ago, with new random numbers
   * of its seed. Clients who are there already, for a warm-up, go on with what they do, as they do
   * from phase to phase.
   *
   * @param load that which this was made for, or its {@linkplain LoadDescription#warmUp() warm-up}
   */
  void begin(LoadDescription load, long start);

  /** Sends what is due, and changes what a phase that has ended changes. */
  void advance(long now);

  /**
   * When {@link #advance} has something to do besides sending, or {@link Long#MAX_VALUE} after the
   * end of the last phase.
   */
  long nextChange();

  /** When the next request can be sent, or {@link Long#MAX_VALUE} if that depends on answers. */
  long nextSend();

  /** Requests under way. */
  int sending();

  /** Clients of the whole load who are there at {@code time}, which is now or a moment ago. */
  int clients(long time);

  /** Whether the last phase has ended and no request is under way. */
  boolean finished();
}
