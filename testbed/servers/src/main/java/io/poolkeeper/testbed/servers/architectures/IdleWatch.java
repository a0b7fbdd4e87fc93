package io.poolkeeper.testbed.servers.architectures;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Looks for idle connections from time to time, for servers without a thread that could. */
public final class IdleWatch implements AutoCloseable {

  /** A connection that is closed when it has been idle for too long. */
  public interface Connection {
    /** Whether nothing has happened since then, and the client waits for nothing. */
    boolean idleSince(long then);

    /** Closes it, and notes whether its client has not taken an answer. */
    void expire();
  }

  private final Thread thread;
  private volatile boolean over;

  /**
   * @param connections looked at anew each time
   */
  @SuppressWarnings("ThreadStartInConstructor") // A server starts it last.
  public IdleWatch(Duration idleTimeout, Iterable<? extends Connection> connections) {
    thread =
        new Thread(
            () -> {
              while (!over) {
                LockSupport.parkNanos(idleTimeout.toNanos() / 4);
                closeIdle(idleTimeout, connections);
              }
            },
            "idle-watch");
    thread.setDaemon(true);
    thread.start();
  }

  /** Closes those that have been idle for the timeout. */
  public static void closeIdle(Duration idleTimeout, Iterable<? extends Connection> connections) {
    long since = System.nanoTime() - idleTimeout.toNanos();
    for (Connection connection : connections) {
      if (connection.idleSince(since)) {
        connection.expire();
      }
    }
  }

  @Override
  public void close() {
    over = true;
    LockSupport.unpark(thread);
  }
}
