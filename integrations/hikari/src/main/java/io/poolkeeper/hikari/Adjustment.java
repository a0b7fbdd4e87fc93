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

  /** Between two requests for another connection; Hikari itself pauses 30 ms after each. */
  private static final long PAUSE = 5_000_000;

  /**
   * Nanoseconds without another connection after which nobody asks for one until the next window.
   */
  private static final long PATIENCE = 1_000_000_000;

  /** Helpers that take connections out at the same time, each in the line of all callers. */
  private static final int MOST_IN_LINE = 7;

  /** Nanoseconds between two looks for a connection at first. */
  private static final long SHORTEST_PAUSE = 20_000;

  /** Nanoseconds between two looks at most, as a part of the time in which none was found. */
  private static final int PAUSES = 1000;

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private final HikariConnections connections;
  private final AtomicBoolean growing = new AtomicBoolean();
  private final AtomicBoolean looking = new AtomicBoolean();
  private final AtomicInteger inLine = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean ended;

  /**
   * Size that could not be reached when this was last told; 0 for none. Of one helper at a time.
   */
  private int missedSize;

  Adjustment(HikariConnections connections) {
    this.connections = connections;
  }

  /**
   * Returns whether this thread is one of the helpers, whose use of connections is nobody's task.
   */
  static boolean byHelper() {
    return Thread.currentThread() instanceof Helper;
  }

  /** Helpers that look or wait for a connection. */
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
    int surplus = surplus(pool);
    if (surplus > 0 && looking.compareAndSet(false, true)) {
      new Helper("look", () -> look(pool)).start();
    }
    while (inLine.get() < Math.min(surplus - 1, MOST_IN_LINE)) {
      inLine.incrementAndGet();
      new Helper("wait", () -> standInLine(pool)).start();
    }
  }

  void end() {
    ended = true;
  }

  private int surplus(HikariPool pool) {
    return pool.getTotalConnections() - connections.size();
  }

  /**
   * Returns whether callers wait, or too few connections are idle, and there may be more
   * connections.
   */
  private boolean lacks(HikariPool pool) {
    return surplus(pool) < 0
        && (pool.getThreadsAwaitingConnection() > 0
            || pool.getIdleConnections() < connections.minimumIdle());
  }

  private void grow(HikariPool pool) {
    try {
      int size = connections.size();
      int open = pool.getTotalConnections();
      long since = System.nanoTime();
      while (!ended && lacks(pool)) {
        pool.addBagItem(Math.max(1, pool.getThreadsAwaitingConnection()));
        LockSupport.parkNanos(PAUSE);
        // The time before the counts: they may change while this thread pauses.
        long now = System.nanoTime();
        if (connections.size() != size || pool.getTotalConnections() != open) {
          size = connections.size();
          open = pool.getTotalConnections();
          since = System.nanoTime();
        } else if (now - since >= PATIENCE && lacks(pool)) {
          tellOfMissedSize(size, open);
          return;
        }
      }
      missedSize = 0;
    } finally {
      growing.set(false);
    }
  }

  /** Tells once of each size. Hikari itself tells callers alone, once they have timed out. */
  private void tellOfMissedSize(int size, int open) {
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

  /**
   * Takes out connections that have just come back. Callers that ask again at once take them before
   * a thread in line is awake.
   */
  private void look(HikariPool pool) {
    try {
      long since = System.nanoTime();
      long pause = SHORTEST_PAUSE;
      while (!ended && surplus(pool) > 0) {
        if (takeOut(pool, 0)) {
          since = System.nanoTime();
          pause = SHORTEST_PAUSE;
        } else {
          LockSupport.parkNanos(pause);
          long most = Math.max(SHORTEST_PAUSE, (System.nanoTime() - since) / PAUSES);
          pause = Math.min(2 * pause, most);
        }
      }
    } finally {
      looking.set(false);
    }
  }

  /** Takes out connections in turn with the callers, which is faster where many of them wait. */
  private void standInLine(HikariPool pool) {
    try {
      while (!ended && surplus(pool) > 0) {
        takeOut(pool, connections.patience());
      }
    } finally {
      inLine.decrementAndGet();
    }
  }

  /** Returns whether there was a connection within so many milliseconds. */
  private boolean takeOut(HikariPool pool, long millis) {
    waiting.incrementAndGet();
    try (Connection connection = pool.getConnection(millis)) {
      evictSurplus(pool, connection);
      return true;
    } catch (SQLException e) {
      return false; // None came back in time, or the pool is closed: the caller looks.
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
