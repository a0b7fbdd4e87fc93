package io.poolkeeper.spi;

import io.poolkeeper.internal.SystemTicker;

/**
 * A monotonic clock in nanoseconds. All code that reads time takes one, so that it can be tested in
 * virtual time.
 */
@FunctionalInterface
public interface Ticker {

  /** Returns the nanoseconds since an arbitrary origin; never less than an earlier reading. */
  long nanoTime();

  /** Returns the clock of the machine, {@link System#nanoTime()}. */
  static Ticker system() {
    return SystemTicker.INSTANCE;
  }
}
