package io.tidepool.testbed.peers.pools;

import io.tidepool.Bounds;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** {@link ThreadPoolExecutor} of the JDK with a queue without bound. */
public final class JdkPool implements PeerPool {

  private final ThreadPoolExecutor pool;
  private final boolean maximumAlone;

  private JdkPool(int size, boolean maximumAlone) {
    this.maximumAlone = maximumAlone;
    pool =
        new ThreadPoolExecutor(
            size,
            size,
            60,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named(name()));
  }

  /** One whose core size and maximum are set together, as the JDK's documentation advises. */
  public static JdkPool sizedByCore(int size) {
    return new JdkPool(size, false);
  }

  /** One whose core size stays and whose maximum is set, as many configurations do. */
  public static JdkPool sizedByMaximum(int size) {
    return new JdkPool(size, true);
  }

  @Override
  public String name() {
    return maximumAlone ? "jdk-maximum" : "jdk";
  }

  @Override
  public int size() {
    return pool.getMaximumPoolSize();
  }

  @Override
  public Bounds bounds() {
    return DaemonThreads.BOUNDS;
  }

  @Override
  public void resize(int size) {
    bounds().require("size", size);
    if (size < pool.getCorePoolSize()) {
      pool.setCorePoolSize(size);
    }
    pool.setMaximumPoolSize(size);
    if (!maximumAlone) {
      pool.setCorePoolSize(size);
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
    return pool.getQueue().size();
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
