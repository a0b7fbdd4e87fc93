package io.tidepool.testbed.peers.pools;

import io.tidepool.Bounds;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;

/**
 * {@link ForkJoinPool} of the JDK, tasks in the order of their arrival. Before JDK 19 its size is
 * what it started with.
 */
public final class ForkJoin implements PeerPool {

  private static final Optional<Method> SET_PARALLELISM = setParallelism();

  private final ForkJoinPool pool;
  private final Bounds bounds;

  /** Starts with a parallelism of {@code size}. */
  public ForkJoin(int size) {
    pool =
        new ForkJoinPool(
            size, ForkJoinPool.defaultForkJoinWorkerThreadFactory, (dying, thrown) -> {}, true);
    bounds = SET_PARALLELISM.isPresent() ? DaemonThreads.BOUNDS : new Bounds(size, size);
  }

  private static Optional<Method> setParallelism() {
    try {
      return Optional.of(ForkJoinPool.class.getMethod("setParallelism", int.class));
    } catch (NoSuchMethodException e) {
      return Optional.empty(); // JDK 18 or earlier.
    }
  }

  @Override
  public String name() {
    return "fork-join";
  }

  @Override
  public int size() {
    return pool.getParallelism();
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    bounds.require("size", size);
    if (SET_PARALLELISM.isPresent()) {
      try {
        SET_PARALLELISM.get().invoke(pool, size);
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException("the parallelism cannot be set", e);
      }
    }
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  @Override
  public int threads() {
    return pool.getPoolSize();
  }

  @Override
  public int queued() {
    return (int) (pool.getQueuedTaskCount() + pool.getQueuedSubmissionCount());
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
