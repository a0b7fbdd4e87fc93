package io.tidepool.testbed.peers.pools;

import io.tidepool.Bounds;
import org.jboss.threads.EnhancedQueueExecutor;

/** {@link EnhancedQueueExecutor} of JBoss Threads, the pool of WildFly and Quarkus. */
public final class JbossPool implements PeerPool {

  private final EnhancedQueueExecutor pool;

  /** Starts with core size and maximum of {@code size}. */
  public JbossPool(int size) {
    pool =
        new EnhancedQueueExecutor.Builder()
            .setCorePoolSize(size)
            .setMaximumPoolSize(size)
            .setThreadFactory(DaemonThreads.named(name()))
            .setExceptionHandler((thread, thrown) -> {})
            .build();
  }

  @Override
  public String name() {
    return "jboss";
  }

  @Override
  public int size() {
    return pool.getMaximumPoolSize();
  }

  @Override
  public Bounds bounds() {
    return DaemonThreads.BOUNDS;
  }

  /** Sets both sizes, in the order that the pool accepts. */
  @Override
  public void resize(int size) {
    bounds().require("size", size);
    if (size >= pool.getCorePoolSize()) {
      pool.setMaximumPoolSize(size);
      pool.setCorePoolSize(size);
    } else {
      pool.setCorePoolSize(size);
      pool.setMaximumPoolSize(size);
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
    return pool.getQueueSize();
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
