package io.poolkeeper.testbed.peers.pools;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * A virtual thread a task, and a {@link Semaphore} for how many of them run: what the JDK advises
 * in place of a pool. From JDK 21 on.
 */
public final class VirtualThreads extends ExecutorPool<ExecutorService> {

  private static final Optional<Method> NEW_EXECUTOR = newExecutor();

  /** A semaphore whose permits can be taken away while they are in use. */
  private static final class Permits extends Semaphore {
    private static final long serialVersionUID = 1;

    Permits(int permits) {
      super(permits, true);
    }

    void reduce(int by) {
      reducePermits(by);
    }
  }

  private final Permits permits;
  private int size;

  /**
   * Starts with {@code size} permits.
   *
   * @throws UnsupportedOperationException before JDK 21
   */
  public VirtualThreads(int size) {
    super("virtual-threads", started());
    this.size = size;
    permits = new Permits(size);
  }

  private static ExecutorService started() {
    Method maker =
        NEW_EXECUTOR.orElseThrow(
            () -> new UnsupportedOperationException("virtual threads need JDK 21 or later"));
    try {
      return (ExecutorService) maker.invoke(null);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("no executor of virtual threads", e);
    }
  }

  /** Whether the running JDK has virtual threads. */
  public static boolean available() {
    return NEW_EXECUTOR.isPresent() && Runtime.version().feature() >= 21;
  }

  private static Optional<Method> newExecutor() {
    try {
      return Optional.of(Executors.class.getMethod("newVirtualThreadPerTaskExecutor"));
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    }
  }

  @Override
  public synchronized int size() {
    return size;
  }

  @Override
  synchronized void setSize(int size) {
    if (size > this.size) {
      permits.release(size - this.size);
    } else {
      permits.reduce(this.size - size);
    }
    this.size = size;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(
        () -> {
          try {
            permits.acquire();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
          }
          try {
            task.run();
          } finally {
            permits.release();
          }
        });
  }

  @Override
  public int threads() {
    return size() - permits.availablePermits();
  }

  @Override
  public int queued() {
    return permits.getQueueLength();
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
