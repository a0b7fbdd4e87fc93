package io.poolkeeper.internal.executor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A task and its completable future, which records the outcome of its body. Stages without an
 * executor run on the pool of the task.
 */
public final class AsyncTask<T> extends CompletableFuture<T>
    implements Runnable, CompletableFuture.AsynchronousCompletionTask {

  private final Supplier<? extends T> body;
  private final Executor pool;
  private Outcome outcome = Outcome.CANCELLED;

  public AsyncTask(Supplier<? extends T> body, Executor pool) {
    this.body = body;
    this.pool = pool;
  }

  @Override
  public void run() {
    if (isDone()) {
      return;
    }
    try {
      T value = body.get();
      outcome = Outcome.COMPLETED;
      complete(value);
    } catch (Throwable thrown) {
      outcome = Outcome.FAILED;
      // Like the first stage of supplyAsync in the JDK.
      completeExceptionally(
          thrown instanceof CompletionException ? thrown : new CompletionException(thrown));
    }
  }

  /** Returns the outcome; only for the thread that ran the task. */
  Outcome outcome() {
    return outcome;
  }

  @Override
  public Executor defaultExecutor() {
    return pool;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new Stage<>(pool);
  }

  /** A later stage. */
  private static final class Stage<U> extends CompletableFuture<U> {
    private final Executor pool;

    Stage(Executor pool) {
      this.pool = pool;
    }

    @Override
    public Executor defaultExecutor() {
      return pool;
    }

    @Override
    public <V> CompletableFuture<V> newIncompleteFuture() {
      return new Stage<>(pool);
    }
  }
}
