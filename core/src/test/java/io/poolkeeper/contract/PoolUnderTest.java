package io.poolkeeper.contract;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Mode;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A pool under test: an executor, and the methods that {@link ExecutorService} does not have. */
abstract class PoolUnderTest {

  /** Largest size of a pool under test. */
  static final int MOST = 64;

  /** The pools that are tested. */
  enum Kind {
    JDK {
      @Override
      PoolUnderTest build(Settings settings) {
        return new JdkPool(settings);
      }
    },
    ADAPTIVE {
      @Override
      PoolUnderTest build(Settings settings) {
        return new AdaptivePool(settings, builder -> builder.queueCapacity(settings.capacity()));
      }
    },
    ADAPTIVE_WITH_A_QUEUE_OF_THE_JDK {
      @Override
      PoolUnderTest build(Settings settings) {
        return new AdaptivePool(settings, builder -> builder.queue(settings.queue()));
      }
    };

    abstract PoolUnderTest build(Settings settings);
  }

  /** Settings that both pools have. */
  record Settings(
      int size, int capacity, ThreadFactory threadFactory, RejectedExecutionHandler policy) {

    static Settings ofSize(int size) {
      return new Settings(
          size, Integer.MAX_VALUE, Thread::new, new ThreadPoolExecutor.AbortPolicy());
    }

    BlockingQueue<Runnable> queue() {
      return new LinkedBlockingQueue<>(capacity);
    }

    Settings queueCapacity(int capacity) {
      return new Settings(size, capacity, threadFactory, policy);
    }

    Settings threadFactory(ThreadFactory threadFactory) {
      return new Settings(size, capacity, threadFactory, policy);
    }

    Settings policy(RejectedExecutionHandler policy) {
      return new Settings(size, capacity, threadFactory, policy);
    }
  }

  abstract ExecutorService executor();

  abstract void resize(int size);

  abstract int queued();

  abstract boolean remove(Runnable task);

  abstract boolean isTerminating();

  abstract int activeCount();

  abstract int poolSize();

  abstract int largestPoolSize();

  abstract long taskCount();

  abstract long completedTaskCount();

  abstract void purge();

  abstract boolean prestartOne();

  abstract int prestartAll();

  /** Lets every worker leave that was idle for so long. */
  abstract void keepIdleWorkers(Duration keepAlive);

  /** Returns the state in words: running, shutting down or terminated are in it. */
  abstract String describe();

  private static final class JdkPool extends PoolUnderTest {

    private final ThreadPoolExecutor pool;

    JdkPool(Settings settings) {
      pool =
          new ThreadPoolExecutor(
              settings.size(),
              settings.size(),
              0,
              TimeUnit.SECONDS,
              settings.queue(),
              settings.threadFactory(),
              settings.policy());
    }

    @Override
    ExecutorService executor() {
      return pool;
    }

    @Override
    void resize(int size) {
      if (size > pool.getMaximumPoolSize()) {
        pool.setMaximumPoolSize(size);
        pool.setCorePoolSize(size);
      } else {
        pool.setCorePoolSize(size);
        pool.setMaximumPoolSize(size);
      }
    }

    @Override
    int queued() {
      return pool.getQueue().size();
    }

    @Override
    boolean remove(Runnable task) {
      return pool.remove(task);
    }

    @Override
    boolean isTerminating() {
      return pool.isTerminating();
    }

    @Override
    int activeCount() {
      return pool.getActiveCount();
    }

    @Override
    int poolSize() {
      return pool.getPoolSize();
    }

    @Override
    int largestPoolSize() {
      return pool.getLargestPoolSize();
    }

    @Override
    long taskCount() {
      return pool.getTaskCount();
    }

    @Override
    long completedTaskCount() {
      return pool.getCompletedTaskCount();
    }

    @Override
    void purge() {
      pool.purge();
    }

    @Override
    boolean prestartOne() {
      return pool.prestartCoreThread();
    }

    @Override
    int prestartAll() {
      return pool.prestartAllCoreThreads();
    }

    @Override
    void keepIdleWorkers(Duration keepAlive) {
      pool.setKeepAliveTime(keepAlive.toNanos(), TimeUnit.NANOSECONDS);
      pool.allowCoreThreadTimeOut(true);
    }

    @Override
    String describe() {
      return pool.toString();
    }
  }

  private static final class AdaptivePool extends PoolUnderTest {

    private final AdaptiveExecutor pool;

    AdaptivePool(Settings settings, UnaryOperator<AdaptiveExecutor.Builder> withQueue) {
      AdaptiveExecutor.Builder builder =
          AdaptiveExecutor.builder("contract")
              .bounds(1, MOST)
              .initialSize(settings.size())
              .mode(Mode.FROZEN)
              .window(Duration.ofDays(1))
              .jmx(false)
              .threadFactory(settings.threadFactory())
              .rejectionPolicy(settings.policy());
      pool = withQueue.apply(builder).build();
    }

    @Override
    ExecutorService executor() {
      return pool;
    }

    @Override
    void resize(int size) {
      pool.resize(size);
    }

    @Override
    int queued() {
      return pool.queued();
    }

    @Override
    boolean remove(Runnable task) {
      return pool.remove(task);
    }

    @Override
    boolean isTerminating() {
      return pool.isTerminating();
    }

    @Override
    int activeCount() {
      return pool.getActiveCount();
    }

    @Override
    int poolSize() {
      return pool.getPoolSize();
    }

    @Override
    int largestPoolSize() {
      return pool.getLargestPoolSize();
    }

    @Override
    long taskCount() {
      return pool.getTaskCount();
    }

    @Override
    long completedTaskCount() {
      return pool.getCompletedTaskCount();
    }

    @Override
    void purge() {
      pool.purge();
    }

    @Override
    boolean prestartOne() {
      return pool.prestartCoreThread();
    }

    @Override
    int prestartAll() {
      return pool.prestartAllCoreThreads();
    }

    @Override
    void keepIdleWorkers(Duration keepAlive) {
      pool.setKeepAliveTime(keepAlive.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    String describe() {
      return pool.toString();
    }
  }
}
