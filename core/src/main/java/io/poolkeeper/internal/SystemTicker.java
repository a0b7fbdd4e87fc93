package io.poolkeeper.internal;

import io.poolkeeper.spi.Ticker;

/** The clock of the machine: a single instance, so that it can be compared with other clocks. */
public enum SystemTicker implements Ticker {
  /** The clock. */
  INSTANCE;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }
}
