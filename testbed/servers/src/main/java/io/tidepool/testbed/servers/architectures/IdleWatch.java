package io.tidepool.testbed.servers.architectures;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Looks for idle connections from time to time, for servers without a thread that could. */
public final class IdleWatch implements AutoCloseable {

  private final Thread thread;
  private volatile boolean over;

  /**
   * @param sweep closes the connections that have been idle since a reading of the clock
   */
  @SuppressWarnings("ThreadStartInConstructor") // A server starts it last.
  public IdleWatch(Duration idleTimeout, java.util.function.LongConsumer sweep) {
    long timeout = idleTimeout.toNanos();
    thread =
        new Thread(
            () -> {
              while (!over) {
                LockSupport.parkNanos(timeout / 4);
                sweep.accept(System.nanoTime() - timeout);
              }
            },
            "idle-watch");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    over = true;
    LockSupport.unpark(thread);
  }
}
