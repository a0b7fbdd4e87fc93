package io.poolkeeper.testbed.benchmarks.recovery;

import io.poolkeeper.AdaptiveExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Closed users of a pool: each waits for its task and submits the next. The pool is theirs. */
final class Users implements AutoCloseable {

  /** Time between the tasks of a user whose tasks fail at once. */
  private static final long AFTER_FAILURE_NANOS = 10_000_000;

  private static final long PAUSED_NANOS = 5_000_000;

  private final AdaptiveExecutor pool;
  private final Callable<?> task;
  private final LongAdder served = new LongAdder();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean paused = true;
  private volatile boolean closed;

  /** Makes users that do nothing yet. */
  Users(AdaptiveExecutor pool, int count, Callable<?> task) {
    this.pool = pool;
    this.task = task;
    for (int i = 0; i < count; i++) {
      Thread user = new Thread(this::use, "user-" + i);
      threads.add(user);
      user.start();
    }
  }

  private void use() {
    while (!closed) {
      if (paused) {
        LockSupport.parkNanos(PAUSED_NANOS);
        continue;
      }
      Future<?> answer = pool.submit(task);
      try {
        answer.get();
        served.increment();
      } catch (ExecutionException e) {
        LockSupport.parkNanos(AFTER_FAILURE_NANOS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Lets the users submit tasks. */
  void start() {
    paused = false;
  }

  /** Lets the users wait after the task that each has submitted. */
  void pause() {
    paused = true;
  }

  /** Returns the tasks that were served. */
  long served() {
    return served.sum();
  }

  /** Waits for the tasks under way, and closes the pool. */
  @Override
  public void close() {
    closed = true;
    try {
      for (Thread user : threads) {
        user.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pool.close();
  }
}
