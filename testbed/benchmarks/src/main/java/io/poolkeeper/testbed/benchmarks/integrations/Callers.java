package io.poolkeeper.testbed.benchmarks.integrations;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Threads that borrow connections and send one query after the other, until they are closed. */
final class Callers implements AutoCloseable {

  private final LongAdder answers = new LongAdder();
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicReference<@Nullable SQLException> failure = new AtomicReference<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  Callers(DataSource database, String query, int count) {
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> callUntilClosed(database, query), "caller-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void callUntilClosed(DataSource database, String query) {
    try {
      while (!closed) {
        call(database, query);
        answers.increment();
      }
    } catch (SQLException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void call(DataSource database, String query) throws SQLException {
    try (Connection connection = database.getConnection()) {
      held.incrementAndGet();
      try (Statement statement = connection.createStatement()) {
        statement.execute(query);
      } finally {
        held.decrementAndGet();
      }
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Queries that were answered. */
  long answers() {
    return answers.sum();
  }

  /** Connections in use. */
  int held() {
    return held.get();
  }

  /**
   * Waits for the queries under way.
   *
   * @throws SQLException that of the first query that failed
   */
  @Override
  public void close() throws SQLException {
    closed = true;
    threads.forEach(Callers::join);
    SQLException first = failure.get();
    if (first != null) {
      throw first;
    }
  }
}
