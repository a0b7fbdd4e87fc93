package io.tidepool.testbed.peers.pools;

import io.tidepool.Bounds;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** {@link QueuedThreadPool} of Jetty, without the threads that it reserves for its selectors. */
public final class JettyPool implements PeerPool {

  private static final int IDLE_MILLIS = 60_000;

  private final QueuedThreadPool pool;

  /** Starts with both minimum and maximum of {@code size}. */
  public JettyPool(int size) {
    pool =
        new QueuedThreadPool(size, size, IDLE_MILLIS, 0, null, null, DaemonThreads.named(name()));
    try {
      pool.start();
    } catch (Exception e) { // Its life cycle declares all of them.
      throw new IllegalStateException("the pool does not start", e);
    }
  }

  @Override
  public String name() {
    return "jetty";
  }

  @Override
  public int size() {
    return pool.getMaxThreads();
  }

  @Override
  public Bounds bounds() {
    return DaemonThreads.BOUNDS;
  }

  /** Sets the maximum, which is what a server's configuration calls its threads. */
  @Override
  public void resize(int size) {
    pool.setMaxThreads(bounds().require("size", size));
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  @Override
  public int threads() {
    return pool.getThreads();
  }

  @Override
  public int queued() {
    return pool.getQueueSize();
  }

  @Override
  public void close() {
    try {
      pool.setStopTimeout(0);
      pool.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the pool does not stop", e);
    }
  }
}
