package io.poolkeeper.testbed.peers.pools;

import io.poolkeeper.Bounds;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;

/**
 * {@link ForkJoinPool} of the JDK, tasks in the order of their arrival. Before JDK 19 its size is
 * what it started with.
 */
public final class ForkJoin extends ExecutorPool<ForkJoinPool> {

  private static final Optional<Method> SET_PARALLELISM = setParallelism();

  /** Starts with a parallelism of {@code size}. */
  public ForkJoin(int size) {
    super(
        "fork-join",
        new ForkJoinPool(
            size, ForkJoinPool.defaultForkJoinWorkerThreadFactory, (dying, thrown) -> {}, true),
        SET_PARALLELISM.isPresent() ? BOUNDS : new Bounds(size, size));
  }

  private static Optional<Method> setParallelism() {
    try {
      return Optional.of(ForkJoinPool.class.getMethod("setParallelism", int.class));
    } catch (NoSuchMethodException e) {
      return Optional.empty(); // JDK 18 or earlier.
    }
  }

  @Override
  public int size() {
    return executor.getParallelism();
  }

  @Override
  void setSize(int size) {
    if (SET_PARALLELISM.isPresent()) {
      try {
        SET_PARALLELISM.get().invoke(executor, size);
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException("the parallelism cannot be set", e);
      }
    }
  }

  @Override
  public int threads() {
    return executor.getPoolSize();
  }

  @Override
  public int queued() {
    return (int) (executor.getQueuedTaskCount() + executor.getQueuedSubmissionCount());
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
