package io.poolkeeper.spi;

import java.time.Duration;

/** Calls a control loop at a fixed rate. The default is one daemon thread for all loops. */
@FunctionalInterface
public interface LoopTimer {

  /**
   * Starts calling {@code tick} once every {@code interval}, first after about one, never twice at
   * a time.
   *
   * @return what stops the calls; a call that is under way may still end afterwards
   */
  Stop start(String name, Duration interval, Runnable tick);

  /** Stops a timer. */
  @FunctionalInterface
  interface Stop {
    /** Stops the calls; a second call does nothing. */
    void stop();
  }
}
