package io.poolkeeper.testbed.peers.pools;

import java.util.concurrent.TimeUnit;
import org.apache.tomcat.util.threads.TaskQueue;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/**
 * The pool of Tomcat's connectors: its executor with its queue, which prefers threads to waiting.
 */
public final class TomcatPool extends ExecutorPool<ThreadPoolExecutor> {

  private static final String NAME = "tomcat";

  /** Starts with core size (minSpareThreads) and maximum (maxThreads) of {@code size}. */
  public TomcatPool(int size) {
    super(NAME, started(size, new TaskQueue()));
  }

  private static ThreadPoolExecutor started(int size, TaskQueue queue) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(size, size, 60, TimeUnit.SECONDS, queue, daemons(NAME));
    queue.setParent(executor);
    return executor;
  }

  @Override
  public int size() {
    return executor.getMaximumPoolSize();
  }

  /** Sets the maximum, which is what a server's configuration calls its threads. */
  @Override
  void setSize(int size) {
    if (size < executor.getCorePoolSize()) {
      executor.setCorePoolSize(size);
    }
    executor.setMaximumPoolSize(size);
  }

  @Override
  public int threads() {
    return executor.getPoolSize();
  }

  @Override
  public int queued() {
    return executor.getQueue().size();
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
