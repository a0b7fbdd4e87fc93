package io.poolkeeper.internal;

import org.jspecify.annotations.Nullable;

/**
 * Warnings about something that may fail with every window: only the first of several failures is
 * logged. Not thread-safe.
 */
public final class FailureLog {

  private final String name;
  private final int recovery;

  /** Successes after which the next failure is logged. */
  private int missing;

  /**
   * @param name of the pool
   */
  public FailureLog(String name) {
    this(name, 1);
  }

  /**
   * @param name of the pool
   * @param recovery successes in a row that end a series of failures
   */
  public FailureLog(String name, int recovery) {
    this.name = name;
    this.recovery = recovery;
  }

  /** Logs a failure, unless it follows another one. */
  public void failed(String message, @Nullable Throwable thrown) {
    boolean first = missing == 0;
    missing = recovery;
    if (first) {
      Log.warn(name, message, thrown);
    }
  }

  /** Records a success. */
  public void succeeded() {
    missing = Math.max(0, missing - 1);
  }
}
