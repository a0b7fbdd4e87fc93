package io.poolkeeper.internal.executor;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** A submitted task and its future, which records the outcome of its body. */
public final class SubmittedTask<T> extends FutureTask<T> {

  private final Workers workers;
  private boolean ranElsewhere;
  private Outcome outcome = Outcome.CANCELLED;

  /**
   * @param workers of the pool, informed of a failure where another task has wrapped this one
   */
  public SubmittedTask(Callable<T> callable, Workers workers) {
    super(callable);
    this.workers = workers;
  }

  /**
   * @param workers of the pool, informed of a failure where another task has wrapped this one
   */
  public SubmittedTask(Runnable runnable, T value, Workers workers) {
    super(runnable, value);
    this.workers = workers;
  }

  // Exactly one of the two is called if the body ran, even if it was cancelled meanwhile.

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

  /** Records that the task will not run in the pool. */
  public void ranElsewhere() {
    ranElsewhere = true;
  }

  /** Returns the outcome; only for the thread that ran the task. */
  Outcome outcome() {
    return outcome;
  }
}
