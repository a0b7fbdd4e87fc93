package io.poolkeeper.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.testbed.applications.mariadb.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
@SuppressWarnings("NullAway.Init") // The database is started before the first test.
final class DatabaseTest {

  /** Held, or the level would be forgotten with the logger. */
  private static final Logger LIBRARY = Logger.getLogger("ch.vorburger");

  private static Database database;

  @BeforeAll
  static void start() throws Exception {
    LIBRARY.setLevel(Level.WARNING);
    database = Database.start();
  }

  @AfterAll
  static void stop() {
    database.close();
    assertThat(ProcessHandle.of(database.pid())).isEmpty();
  }

  private static long count(DataSource source, String table) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void close(DataSource source) {
    if (source instanceof HikariDataSource pool) {
      pool.close();
    }
  }

  private static Set<String> answers(Application application, int requests) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<String>> calls = new ArrayList<>();
      for (int i = 0; i < requests; i++) {
        calls.add(application::answer);
      }
      Set<String> answers = new HashSet<>();
      for (Future<String> answer : threads.invokeAll(calls)) {
        answers.add(answer.get());
      }
      return answers;
    } finally {
      threads.shutdown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-request", "pool:4"})
  void everyWriteIsARow(String mode) throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), mode);
    try (Application write = Applications.named("dbwrite", 2, 1, source)) {
      assertThat(answers(write, 100)).isNotEmpty();
      assertThat(count(source, "written")).isEqualTo(100);
    } finally {
      close(source);
    }
  }

  @Test
  void aNewRunBeginsWithAnEmptyTable() throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), "per-request");
    Applications.named("dbwrite", 2, 1, source).answer();
    Applications.named("dbwrite", 2, 1, source).close();
    assertThat(count(source, "written")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-request", "pool:4"})
  void readsRowsOfAFullTable(String mode) throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), mode);
    try (Application read = Applications.named("dbread", 2, 1, source)) {
      assertThat(answers(read, 100)).allMatch(answer -> answer.startsWith("20"));
      assertThat(count(source, "readable")).isEqualTo(50_000);
    } finally {
      close(source);
    }
  }

  @Test
  void aSecondReaderKeepsTheTable() throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), "per-request");
    Applications.named("dbread", 2, 1, source).close();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE readable SET at = '2001-01-01' WHERE id = 7");
    }
    Applications.named("dbread", 2, 1, source).close();
    assertThat(count(source, "readable WHERE at = '2001-01-01'")).isEqualTo(1);
    assertThat(count(source, "readable")).isEqualTo(50_000);
  }

  /** With as many at once as rows can be locked, and in any order, there are deadlocks. */
  @ParameterizedTest
  @ValueSource(strings = {"per-request", "pool:8"})
  void everyTransactionOnHotRowsIsCommittedOnce(String mode) throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), mode);
    try (Application hot = Applications.named("hot-rows", 2, 1, source)) {
      var unused = answers(hot, 400);
      try (Connection connection = source.getConnection();
          Statement statement = connection.createStatement();
          ResultSet sum = statement.executeQuery("SELECT COUNT(*), SUM(changes) FROM hot")) {
        sum.next();
        assertThat(sum.getInt(1)).isEqualTo(HotRows.ROWS);
        Draws draws = new Draws(1);
        long changes =
            IntStream.range(0, 400).mapToLong(i -> HotRows.rows(draws.next()).length).sum();
        assertThat(sum.getLong(2)).isEqualTo(changes);
      }
    } finally {
      close(source);
    }
  }

  @Test
  void hotRowsServeAgainAfterTheTableWasLocked() throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), "pool:4");
    try (Application hot = Applications.named("hot-rows", 2, 1, source);
        Connection other = source.getConnection();
        Statement statement = other.createStatement()) {
      statement.execute("SET SESSION idle_transaction_timeout = 1");
      statement.execute("START TRANSACTION");
      statement.execute("UPDATE hot SET changes = 0");
      // The other transaction ends by its own timeout; until then the request waits for its locks.
      assertThat(hot.answer()).contains("rows, attempt ");
    } finally {
      close(source);
    }
  }

  @Test
  void aPoolOpensNoMoreConnectionsThanItMay() throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), "pool:3");
    try (Application write = Applications.named("dbwrite", 2, 1, source)) {
      var unused = answers(write, 200);
      assertThat(((HikariDataSource) source).getHikariPoolMXBean().getTotalConnections())
          .isBetween(1, 3);
    } finally {
      close(source);
    }
  }

  @Test
  void aDatabaseThatIsNotThereFailsWithinSeconds() throws Exception {
    DataSource source =
        Connections.open(
            "jdbc:mariadb://127.0.0.1:1/x?user=root&connectTimeout=2000", "per-request");
    assertThatThrownBy(() -> Applications.named("dbwrite", 2, 1, source))
        .isInstanceOf(SQLException.class);
  }

  @Test
  void twoDatabasesDoNotMeet() throws Exception {
    DataSource first = Connections.open(database.jdbcUrl(), "per-request");
    Applications.named("dbwrite", 2, 1, first).answer();
    try (Database other = Database.start()) {
      DataSource second = Connections.open(other.jdbcUrl(), "per-request");
      Applications.named("dbwrite", 2, 1, second).close();
      assertThat(count(second, "written")).isZero();
    }
    // The end of one is not the end of the other.
    assertThat(count(first, "written")).isEqualTo(1);
  }
}
