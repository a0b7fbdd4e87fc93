package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.AdaptiveExecutor;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Tasks for pools at a steady rate, which sleep for times with the spread that durations have. */
final class Traffic implements AutoCloseable {

  private final List<AdaptiveExecutor> pools;
  private final int tasksPerSecond;
  private final long meanNanos;
  private final Thread thread = new Thread(this::run, "traffic");

  /**
   * Begins.
   *
   * @param tasksPerSecond for each pool
   * @param meanNanos mean of a task's exponential distribution
   */
  Traffic(List<AdaptiveExecutor> pools, int tasksPerSecond, long meanNanos) {
    this.pools = pools;
    this.tasksPerSecond = tasksPerSecond;
    this.meanNanos = meanNanos;
    thread.setDaemon(true);
    if (!pools.isEmpty()) {
      thread.start();
    }
  }

  private void run() {
    long due = System.nanoTime();
    while (!Thread.currentThread().isInterrupted()) {
      pools.forEach(pool -> pool.execute(this::task));
      due += 1_000_000_000 / tasksPerSecond;
      LockSupport.parkNanos(due - System.nanoTime());
    }
  }

  private void task() {
    double exponential = -Math.log(1 - ThreadLocalRandom.current().nextDouble());
    LockSupport.parkNanos((long) (meanNanos * exponential));
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
