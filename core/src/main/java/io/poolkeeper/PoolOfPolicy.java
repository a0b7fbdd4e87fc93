package io.poolkeeper;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A view of an {@link AdaptiveExecutor} for its rejection policy, because the interface of the JDK
 * passes a {@link ThreadPoolExecutor}. The view has no threads and delegates every call to the
 * pool. Its tasks are those that users submitted, a size must be within the bounds of the pool, and
 * settings that belong to the builder cannot be changed.
 */
final class PoolOfPolicy extends ThreadPoolExecutor {

  private final AdaptiveExecutor pool;

  PoolOfPolicy(
      AdaptiveExecutor pool,
      BlockingQueue<Runnable> queue,
      ThreadFactory threadFactory,
      RejectedExecutionHandler policy) {
    super(1, 1, 0, TimeUnit.NANOSECONDS, queue, threadFactory, policy);
    this.pool = pool;
  }

  @Override
  public void execute(Runnable command) {
    pool.execute(command);
  }

  @Override
  public Future<?> submit(Runnable task) {
    return pool.submit(task);
  }

  @Override
  public <T> Future<T> submit(Runnable task, T result) {
    return pool.submit(task, result);
  }

  @Override
  public <T> Future<T> submit(Callable<T> task) {
    return pool.submit(task);
  }

  @Override
  public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
      throws InterruptedException {
    return pool.invokeAll(tasks);
  }

  @Override
  public <T> List<Future<T>> invokeAll(
      Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException {
    return pool.invokeAll(tasks, timeout, unit);
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
      throws InterruptedException, ExecutionException {
    return pool.invokeAny(tasks);
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return pool.invokeAny(tasks, timeout, unit);
  }

  @Override
  public boolean remove(Runnable task) {
    return pool.remove(task);
  }

  @Override
  public void purge() {
    pool.purge();
  }

  @Override
  public void shutdown() {
    pool.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return pool.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return pool.isShutdown();
  }

  @Override
  public boolean isTerminating() {
    return pool.isTerminating();
  }

  @Override
  public boolean isTerminated() {
    return pool.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return pool.awaitTermination(timeout, unit);
  }

  @Override
  public int getCorePoolSize() {
    return pool.size();
  }

  @Override
  public int getMaximumPoolSize() {
    return pool.size();
  }

  @Override
  public void setCorePoolSize(int size) {
    pool.resize(size);
  }

  @Override
  public void setMaximumPoolSize(int size) {
    pool.resize(size);
  }

  @Override
  public boolean prestartCoreThread() {
    return pool.prestartCoreThread();
  }

  @Override
  public int prestartAllCoreThreads() {
    return pool.prestartAllCoreThreads();
  }

  @Override
  public long getKeepAliveTime(TimeUnit unit) {
    return pool.getKeepAliveTime(unit);
  }

  @Override
  public void setKeepAliveTime(long time, TimeUnit unit) {
    pool.setKeepAliveTime(time, unit);
  }

  @Override
  public boolean allowsCoreThreadTimeOut() {
    return pool.getKeepAliveTime(TimeUnit.NANOSECONDS) < Long.MAX_VALUE;
  }

  @Override
  public void allowCoreThreadTimeOut(boolean value) {
    throw new UnsupportedOperationException("a keep-alive time lets all idle workers leave");
  }

  @Override
  public void setThreadFactory(ThreadFactory threadFactory) {
    throw new UnsupportedOperationException("the builder sets the thread factory");
  }

  @Override
  public void setRejectedExecutionHandler(RejectedExecutionHandler handler) {
    throw new UnsupportedOperationException("the builder sets the rejection policy");
  }

  @Override
  public int getPoolSize() {
    return pool.getPoolSize();
  }

  @Override
  public int getActiveCount() {
    return pool.getActiveCount();
  }

  @Override
  public int getLargestPoolSize() {
    return pool.getLargestPoolSize();
  }

  @Override
  public long getTaskCount() {
    return pool.getTaskCount();
  }

  @Override
  public long getCompletedTaskCount() {
    return pool.getCompletedTaskCount();
  }

  @Override
  public String toString() {
    return pool.toString();
  }
}
