package io.poolkeeper.testbed.peers.pools;

import io.poolkeeper.Bounds;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pool of somebody else behind what all of them have in common. Which of its sizes people mean,
 * and in which order they are set, each one says itself.
 *
 * @param <E> the executor as it is published
 */
abstract class ExecutorPool<E extends Executor> implements PeerPool {

  /** Sizes that any of the pools may be given. */
  static final Bounds BOUNDS = new Bounds(1, 1000);

  /** The executor as it is published. */
  final E executor;

  private final String name;
  private final Bounds bounds;

  ExecutorPool(String name, E executor) {
    this(name, executor, BOUNDS);
  }

  /**
   * @param bounds of one that cannot have all sizes
   */
  ExecutorPool(String name, E executor, Bounds bounds) {
    this.name = name;
    this.executor = executor;
    this.bounds = bounds;
  }

  /**
   * Threads that keep no process alive and say nothing of what a task throws: the tests look at the
   * pool.
   */
  static ThreadFactory daemons(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((dying, thrown) -> {});
      return thread;
    };
  }

  /** Sets the size, which is within the bounds. */
  abstract void setSize(int size);

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Bounds bounds() {
    return bounds;
  }

  @Override
  public final void resize(int size) {
    setSize(bounds.require("size", size));
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }
}
