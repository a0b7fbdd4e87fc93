package io.poolkeeper.hikari;

import com.zaxxer.hikari.pool.HikariPool;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings the number of connections to the size of the pool, which Hikari does not do while all of
 * them are in use. A helper thread for each direction does it, and ends when it is done.
 */
final class Adjustment {

  /** Between two requests for another connection; Hikari itself pauses 30 ms after each. */
  private static final long PAUSE = 5_000_000;

  /**
   * Nanoseconds without another connection after which nobody asks for one until the next window.
   */
  private static final long PATIENCE = 1_000_000_000;

  /**
   * Nanoseconds for which the helper looks for a connection that has just come back. Callers that
   * ask again at once take it before a thread that waits in line is awake.
   */
  private static final long LOOKING = 50_000_000;

  /** Nanoseconds between two looks at first; each look that finds none doubles them. */
  private static final long SHORTEST_PAUSE = 20_000;

  private static final long LONGEST_PAUSE = 1_000_000;

  /** Milliseconds in line after the looks at first; each time without a connection doubles them. */
  private static final long SHORTEST_LINE = 25;

  private static final long LONGEST_LINE = 3_200;

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private final HikariConnections connections;
  private final AtomicBoolean growing = new AtomicBoolean();
  private final AtomicBoolean shrinking = new AtomicBoolean();
  private volatile boolean waiting;
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

  /** Helpers that look or wait for a connection: 0 or 1. */
  int waiting() {
    return waiting ? 1 : 0;
  }

  /** Starts the helper that is needed. */
  void begin() {
    HikariPool pool = connections.pool();
    if (ended || pool == null) {
      return;
    }
    if (lacks(pool) && growing.compareAndSet(false, true)) {
      new Helper("grow", () -> grow(pool)).start();
    }
    if (surplus(pool) > 0 && shrinking.compareAndSet(false, true)) {
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
      long line = SHORTEST_LINE;
      while (!ended && surplus(pool) > 0) {
        boolean found = foundByLooking(pool) || takeOut(pool, line);
        line = found ? SHORTEST_LINE : Math.min(2 * line, LONGEST_LINE);
      }
    } finally {
      shrinking.set(false);
    }
  }

  private boolean foundByLooking(HikariPool pool) {
    long begin = System.nanoTime();
    long pause = SHORTEST_PAUSE;
    while (!ended && surplus(pool) > 0 && System.nanoTime() - begin < LOOKING) {
      if (takeOut(pool, 0)) {
        return true;
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    return false;
  }

  /** Returns whether a connection was there within so many milliseconds, and was taken out. */
  private boolean takeOut(HikariPool pool, long millis) {
    waiting = true;
    try (Connection connection = pool.getConnection(millis)) {
      if (surplus(pool) > 0) {
        pool.evictConnection(connection);
      }
      return true;
    } catch (SQLException e) {
      return false; // None came back in time, or the pool is closed: the caller looks.
    } finally {
      waiting = false;
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
