package io.tidepool.internal;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** A task that is its own future, so that one object serves both. */
public final class SubmittedTask<T> extends FutureTask<T> {

  /** How it ended. */
  enum Outcome {
    COMPLETED,
    FAILED,
    /** Cancelled before it began. */
    CANCELLED
  }

  private final long arrival;
  private Outcome outcome = Outcome.CANCELLED;

  /**
   * @param arrival when it was given to the pool, or {@link PoolMeter#UNTIMED}
   */
  public SubmittedTask(Callable<T> callable, long arrival) {
    super(callable);
    this.arrival = arrival;
  }

  /**
   * @param arrival when it was given to the pool, or {@link PoolMeter#UNTIMED}
   */
  public SubmittedTask(Runnable runnable, T value, long arrival) {
    super(runnable, value);
    this.arrival = arrival;
  }

  // Of the two one is called if the body was run, even if it was cancelled meanwhile.

  @Override
  protected void set(T result) {
    outcome = Outcome.COMPLETED;
    super.set(result);
  }

  @Override
  protected void setException(Throwable thrown) {
    outcome = Outcome.FAILED;
    super.setException(thrown);
  }

  /** When it was given to the pool, or {@link PoolMeter#UNTIMED}. */
  public long arrival() {
    return arrival;
  }

  /** How it ended; for the thread that ran it. */
  Outcome outcome() {
    return outcome;
  }
}
