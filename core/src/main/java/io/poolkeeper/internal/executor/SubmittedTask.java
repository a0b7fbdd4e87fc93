package io.poolkeeper.internal.executor;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** A submitted task and its future, which knows how its body ended. */
public final class SubmittedTask<T> extends FutureTask<T> {

  private final Workers workers;
  private boolean ranElsewhere;
  private Outcome outcome = Outcome.CANCELLED;

  /**
   * @param workers of the pool, who hear of a failure where another task has wrapped this one
   */
  public SubmittedTask(Callable<T> callable, Workers workers) {
    super(callable);
    this.workers = workers;
  }

  /**
   * @param workers of the pool, who hear of a failure where another task has wrapped this one
   */
  public SubmittedTask(Runnable runnable, T value, Workers workers) {
    super(runnable, value);
    this.workers = workers;
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
    if (!ranElsewhere) {
      workers.failed(this);
    }
    super.setException(thrown);
  }

  /** Says that whoever runs this task from now on does not do so for the pool. */
  public void ranElsewhere() {
    ranElsewhere = true;
  }

  /** Returns the outcome; for the thread that ran it. */
  Outcome outcome() {
    return outcome;
  }
}
