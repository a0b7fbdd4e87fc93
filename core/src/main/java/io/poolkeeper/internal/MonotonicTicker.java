package io.poolkeeper.internal;

import io.poolkeeper.spi.Ticker;

/**
 * A clock that never goes back, whatever the one behind it does. After a step back it goes on from
 * its last reading, so that all who read it agree on every duration.
 */
public final class MonotonicTicker implements Ticker {

  private final Ticker ticker;
  private long offset;
  private long last;

  private MonotonicTicker(Ticker ticker) {
    this.ticker = ticker;
    this.last = ticker.nanoTime();
  }

  /** Guards a user's clock; the machine's needs no guard. */
  public static Ticker of(Ticker ticker) {
    return ticker == Ticker.system() || ticker instanceof MonotonicTicker
        ? ticker
        : new MonotonicTicker(ticker);
  }

  @Override
  public synchronized long nanoTime() {
    long now = ticker.nanoTime() + offset;
    if (now - last < 0) {
      offset += last - now;
      now = last;
    }
    last = now;
    return now;
  }
}
