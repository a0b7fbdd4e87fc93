package io.tidepool.testbed.peers.pools;

import io.tidepool.Bounds;
import java.util.concurrent.TimeUnit;
import org.apache.tomcat.util.threads.TaskQueue;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/**
 * The pool of Tomcat's connectors: its executor with its queue, which prefers threads to waiting.
 */
public final class TomcatPool implements PeerPool {

  private final ThreadPoolExecutor pool;

  /** Starts with core size (minSpareThreads) and maximum (maxThreads) of {@code size}. */
  public TomcatPool(int size) {
    TaskQueue queue = new TaskQueue();
    pool =
        new ThreadPoolExecutor(
            size, size, 60, TimeUnit.SECONDS, queue, DaemonThreads.named(name()));
    queue.setParent(pool);
  }

  @Override
  public String name() {
    return "tomcat";
  }

  @Override
  public int size() {
    return pool.getMaximumPoolSize();
  }

  @Override
  public Bounds bounds() {
    return DaemonThreads.BOUNDS;
  }

  /** Sets the maximum, which is what a server's configuration calls its threads. */
  @Override
  public void resize(int size) {
    bounds().require("size", size);
    if (size < pool.getCorePoolSize()) {
      pool.setCorePoolSize(size);
    }
    pool.setMaximumPoolSize(size);
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
    return pool.getQueue().size();
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
