package io.poolkeeper.testbed.peers.pools;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** {@link ThreadPoolExecutor} of the JDK with a queue without bound. */
public final class JdkPool extends ExecutorPool<ThreadPoolExecutor> {

  private final boolean maximumAlone;

  private JdkPool(String name, int size, boolean maximumAlone) {
    super(
        name,
        new ThreadPoolExecutor(
            size, size, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(name)));
    this.maximumAlone = maximumAlone;
  }

  /** One whose core size and maximum are set together, as the JDK's documentation advises. */
  public static JdkPool sizedByCore(int size) {
    return new JdkPool("jdk", size, false);
  }

  /** One whose core size stays and whose maximum is set, as many configurations do. */
  public static JdkPool sizedByMaximum(int size) {
    return new JdkPool("jdk-maximum", size, true);
  }

  @Override
  public int size() {
    return executor.getMaximumPoolSize();
  }

  @Override
  void setSize(int size) {
    if (size < executor.getCorePoolSize()) {
      executor.setCorePoolSize(size);
    }
    executor.setMaximumPoolSize(size);
    if (!maximumAlone) {
      executor.setCorePoolSize(size);
    }
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
