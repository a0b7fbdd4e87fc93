package io.poolkeeper.spi;

/**
 * A monotonic clock in nanoseconds. It is passed in wherever time is read, so that everything about
 * time can be tested in virtual time.
 */
@FunctionalInterface
public interface Ticker {

  /** Nanoseconds since an origin that means nothing; never less than an earlier reading. */
  long nanoTime();

  /** The clock of the machine, {@link System#nanoTime()}. */
  static Ticker system() {
    return System::nanoTime;
  }
}
