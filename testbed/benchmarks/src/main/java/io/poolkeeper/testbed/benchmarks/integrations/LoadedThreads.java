package io.poolkeeper.testbed.benchmarks.integrations;

import io.poolkeeper.Mode;
import io.poolkeeper.tomcat.TomcatExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.core.StandardThreadExecutor;

/** Tomcat's threads with tasks of 20 ms, which submit themselves again. */
final class LoadedThreads implements LoadedHost {

  private final Executor executor;
  private final Lifecycle life;
  private final IntConsumer resize;
  private final AtomicInteger running = new AtomicInteger();
  private volatile boolean ended;

  private LoadedThreads(Executor executor, Lifecycle life, IntConsumer resize, int tasks) {
    this.executor = executor;
    this.life = life;
    this.resize = resize;
    for (int i = 0; i < tasks; i++) {
      executor.execute(this::work);
    }
  }

  /** The adapter's. */
  static LoadedHost adaptive(int size, int largest, int tasks) throws LifecycleException {
    TomcatExecutor executor =
        new TomcatExecutor(
            pool -> pool.bounds(1, largest).initialSize(size).mode(Mode.FROZEN).jmx(false));
    executor.start();
    return new LoadedThreads(executor, executor, executor.pool()::resize, tasks);
  }

  /** Tomcat's own, with its setters in the order in which both directions work. */
  static LoadedHost plain(int size, int tasks) throws LifecycleException {
    StandardThreadExecutor executor = new StandardThreadExecutor();
    executor.setMaxThreads(size);
    executor.setMinSpareThreads(size);
    executor.start();
    return new LoadedThreads(executor, executor, wanted -> resize(executor, wanted), tasks);
  }

  private static void resize(StandardThreadExecutor executor, int size) {
    if (size > executor.getMaxThreads()) {
      executor.setMaxThreads(size);
      executor.setMinSpareThreads(size);
    } else {
      executor.setMinSpareThreads(size);
      executor.setMaxThreads(size);
    }
  }

  private void work() {
    running.incrementAndGet();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    running.decrementAndGet();
    if (!ended) {
      try {
        executor.execute(this::work);
      } catch (RejectedExecutionException e) {
        // It is being stopped.
      }
    }
  }

  @Override
  public void resize(int size) {
    resize.accept(size);
  }

  @Override
  public int inUse() {
    return running.get();
  }

  @Override
  public void close() throws LifecycleException {
    ended = true;
    life.stop();
  }
}
