package io.poolkeeper.testbed.peers.pools;

import org.jboss.threads.EnhancedQueueExecutor;

/** {@link EnhancedQueueExecutor} of JBoss Threads, the pool of WildFly and Quarkus. */
public final class JbossPool extends ExecutorPool<EnhancedQueueExecutor> {

  private static final String NAME = "jboss";

  /** Starts with core size and maximum of {@code size}. */
  public JbossPool(int size) {
    super(
        NAME,
        new EnhancedQueueExecutor.Builder()
            .setCorePoolSize(size)
            .setMaximumPoolSize(size)
            .setThreadFactory(daemons(NAME))
            .setExceptionHandler((thread, thrown) -> {})
            .build());
  }

  @Override
  public int size() {
    return executor.getMaximumPoolSize();
  }

  /** Sets both sizes, in the order that the pool accepts. */
  @Override
  void setSize(int size) {
    if (size >= executor.getCorePoolSize()) {
      executor.setMaximumPoolSize(size);
      executor.setCorePoolSize(size);
    } else {
      executor.setCorePoolSize(size);
      executor.setMaximumPoolSize(size);
    }
  }

  @Override
  public int threads() {
    return executor.getPoolSize();
  }

  @Override
  public int queued() {
    return executor.getQueueSize();
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
