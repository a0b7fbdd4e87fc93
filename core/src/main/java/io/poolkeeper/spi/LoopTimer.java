package io.poolkeeper.spi;

import java.time.Duration;

/**
 * Timer that calls control loops at a fixed rate. The default is one daemon thread for all loops.
 */
@FunctionalInterface
public interface LoopTimer {

  /**
   * Starts calling {@code tick} once every {@code interval}, first after about one interval, and
   * never twice at the same time.
   *
   * @return a handle that stops the calls; a call that is under way may end afterwards
   */
  Stop start(String name, Duration interval, Runnable tick);

  /** Handle that stops the calls of a loop. */
  @FunctionalInterface
  interface Stop {
    /** Stops the calls; a second call does nothing. */
    void stop();
  }
}
