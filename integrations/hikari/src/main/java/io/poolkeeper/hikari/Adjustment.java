package io.poolkeeper.hikari;

import com.zaxxer.hikari.pool.HikariPool;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings the number of connections to the size of the pool, which Hikari does not do while all of
 * them are in use. Helper threads do it, and end when it is done.
 */
final class Adjustment {

  /** Helpers that take connections out at the same time, each in the line of all callers. */
  private static final int MOST_HELPERS = 8;

  /** Between two requests for another connection; Hikari itself pauses 30 ms after each. */
  private static final long PAUSE = 5_000_000;

  /**
   * Nanoseconds without another connection after which nobody asks for one until the next window.
   */
  private static final long PATIENCE = 1_000_000_000;

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private final HikariConnections connections;
  private final AtomicInteger shrinking = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean growing = new AtomicBoolean();
  private volatile boolean ended;

  /**
   * Size that could not be reached when this was last told; 0 for none. Of one helper at a time.
   */
  private int missedSize;

  Adjustment(HikariConnections connections) {
    this.connections = connections;
  }

  /** Whether this thread is one of the helpers, whose use of connections is nobody's task. */
  static boolean byHelper() {
    return Thread.currentThread() instanceof Helper;
  }

  /** Helpers that wait for a connection. */
  int waiting() {
    return waiting.get();
  }

  /** Starts the helpers that are needed. */
  void begin() {
    HikariPool pool = connections.pool();
    if (ended || pool == null) {
      return;
    }
    if (lacks(pool) && growing.compareAndSet(false, true)) {
      new Helper("grow", () -> grow(pool)).start();
    }
    int helpers = Math.min(surplus(pool), MOST_HELPERS);
    while (shrinking.get() < helpers) {
      shrinking.incrementAndGet();
      new Helper("shrink", () -> shrink(pool)).start();
    }
  }

  void end() {
    ended = true;
  }

  private int surplus(HikariPool pool) {
    return pool.getTotalConnections() - connections.size();
  }

  /** Whether callers wait, or too few connections are idle, and there may be more connections. */
  private boolean lacks(HikariPool pool) {
    return surplus(pool) < 0
        && (pool.getThreadsAwaitingConnection() > 0
            || pool.getIdleConnections() < connections.minimumIdle());
  }

  private void grow(HikariPool pool) {
    try {
      int before = pool.getTotalConnections();
      long since = System.nanoTime();
      while (!ended && lacks(pool) && System.nanoTime() - since < PATIENCE) {
        pool.addBagItem(Math.max(1, pool.getThreadsAwaitingConnection()));
        LockSupport.parkNanos(PAUSE);
        if (pool.getTotalConnections() != before) {
          before = pool.getTotalConnections();
          since = System.nanoTime();
        }
      }
      if (!ended && lacks(pool)) {
        tellOfMissedSize(before);
      } else {
        missedSize = 0;
      }
    } finally {
      growing.set(false);
    }
  }

  /** Tells once of each size. Hikari itself tells callers alone, once they have timed out. */
  private void tellOfMissedSize(int open) {
    int size = connections.size();
    if (size != missedSize) {
      missedSize = size;
      LOG.log(
          Level.WARNING,
          "%s: the size is %d, but callers wait and no connection beyond %d could be opened for 1 s:"
                  .formatted(connections.name(), size, open)
              + " where the database admits no more, lower the largest size to %d"
                  .formatted(Math.max(1, open))
              + " (Spring Boot: poolkeeper.pools.%s.max)".formatted(connections.name()));
    }
  }

  private void shrink(HikariPool pool) {
    try {
      while (!ended && surplus(pool) > 0) {
        takeOut(pool);
      }
    } finally {
      shrinking.decrementAndGet();
    }
  }

  private void takeOut(HikariPool pool) {
    waiting.incrementAndGet();
    try (Connection connection = pool.getConnection()) {
      evictSurplus(pool, connection);
    } catch (SQLException e) {
      // None came back in time, or the pool is closed: the caller looks.
    } finally {
      waiting.decrementAndGet();
    }
  }

  /** Takes the connection out unless another helper has taken out the last of the surplus. */
  private synchronized void evictSurplus(HikariPool pool, Connection connection) {
    if (surplus(pool) > 0) {
      pool.evictConnection(connection);
    }
  }

  /** A thread whose use of connections is not measured. */
  private static final class Helper extends Thread {
    Helper(String task, Runnable body) {
      super(body, "poolkeeper-hikari-" + task);
      setDaemon(true);
    }
  }
}
