package io.poolkeeper.testbed.peers.pools;

import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** {@link QueuedThreadPool} of Jetty, without the threads that it reserves for its selectors. */
public final class JettyPool extends ExecutorPool<QueuedThreadPool> {

  private static final String NAME = "jetty";
  private static final int IDLE_MILLIS = 60_000;

  /** Starts with both minimum and maximum of {@code size}. */
  public JettyPool(int size) {
    super(NAME, started(size));
  }

  private static QueuedThreadPool started(int size) {
    QueuedThreadPool executor =
        new QueuedThreadPool(size, size, IDLE_MILLIS, 0, null, null, daemons(NAME));
    try {
      executor.start();
    } catch (Exception e) { // Its life cycle declares all of them.
      throw new IllegalStateException("the pool does not start", e);
    }
    return executor;
  }

  @Override
  public int size() {
    return executor.getMaxThreads();
  }

  /** Sets the maximum, which is what a server's configuration calls its threads. */
  @Override
  void setSize(int size) {
    executor.setMaxThreads(size);
  }

  @Override
  public int threads() {
    return executor.getThreads();
  }

  @Override
  public int queued() {
    return executor.getQueueSize();
  }

  @Override
  public void close() {
    try {
      executor.setStopTimeout(0);
      executor.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the pool does not stop", e);
    }
  }
}
