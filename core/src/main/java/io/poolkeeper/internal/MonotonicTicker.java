package io.poolkeeper.internal;

import io.poolkeeper.spi.Ticker;

/**
 * A clock that never goes back, even if its source does. After a step back it continues from its
 * last reading, so that all readers agree on every duration.
 */
public final class MonotonicTicker implements Ticker {

  private final Ticker ticker;
  private long offset;
  private long last;

  private MonotonicTicker(Ticker ticker) {
    this.ticker = ticker;
    this.last = ticker.nanoTime();
  }

  /** Wraps a user's clock; the clock of the machine needs no wrapper. */
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
