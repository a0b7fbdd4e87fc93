package io.poolkeeper.hikari;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.FakeDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resizes that do not happen where the setters of Hikari alone are called: reasons for helpers. */
@Timeout(300)
final class HikarisOwnResizesTest {

  /** Long enough for the requests for a connection that callers made while there was no room. */
  private static final long REQUESTS = TimeUnit.MILLISECONDS.toNanos(400);

  private static final long WHILE = TimeUnit.MILLISECONDS.toNanos(50);

  private static HikariDataSource dataSource(int size) {
    HikariDataSource dataSource = new HikariDataSource();
    dataSource.setDataSource(new FakeDatabase().dataSource());
    dataSource.setMaximumPoolSize(size);
    dataSource.setConnectionTimeout(300_000);
    return dataSource;
  }

  private static List<Connection> borrow(HikariDataSource dataSource, int count)
      throws SQLException {
    List<Connection> borrowed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      borrowed.add(dataSource.getConnection());
    }
    return borrowed;
  }

  private static void close(List<Connection> connections) throws SQLException {
    for (Connection connection : connections) {
      connection.close();
    }
  }

  @Test
  void aRaisedMaximumOpensNothingForCallersThatWait() throws Exception {
    try (HikariDataSource dataSource = dataSource(2)) {
      dataSource.setMinimumIdle(0); // Or it fills the pool once in a while, first of all soon.
      List<Connection> inUse = borrow(dataSource, 2);
      HikariPoolMXBean pool = dataSource.getHikariPoolMXBean();
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Thread caller = new Thread(() -> borrowAndReturn(dataSource));
        caller.start();
        callers.add(caller);
      }
      Conditions.await("eight wait", () -> pool.getThreadsAwaitingConnection() == 8);

      LockSupport.parkNanos(REQUESTS);
      dataSource.setMaximumPoolSize(8);
      LockSupport.parkNanos(WHILE);

      assertThat(pool.getTotalConnections()).isLessThan(8); // Two, but for a late request.
      assertThat(pool.getThreadsAwaitingConnection()).isPositive();
      close(inUse);
      for (Thread caller : callers) {
        caller.join();
      }
    }
  }

  @Test
  void aLoweredMaximumClosesNothing() throws Exception {
    try (HikariDataSource dataSource = dataSource(8)) {
      List<Connection> inUse = borrow(dataSource, 8);
      HikariPoolMXBean pool = dataSource.getHikariPoolMXBean();

      dataSource.setMaximumPoolSize(3);
      dataSource.setMinimumIdle(3);
      close(inUse);
      close(borrow(dataSource, 3));

      assertThat(pool.getTotalConnections()).isEqualTo(8);
    }
  }

  private static void borrowAndReturn(HikariDataSource dataSource) {
    try {
      dataSource.getConnection().close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
