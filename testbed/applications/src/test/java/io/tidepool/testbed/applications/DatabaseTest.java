package io.tidepool.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
final class DatabaseTest {

  private static Database database;

  @BeforeAll
  static void start() throws Exception {
    database = Database.start();
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-request", "pool:4"})
  void writesOneRowARequestFromManyThreads(String mode) throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), mode);
    Application application = Applications.named("dbwrite", 0, source);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<String>> answers =
          IntStream.range(0, 200).mapToObj(i -> threads.submit(application::answer)).toList();
      for (Future<String> answer : answers) {
        assertThat(answer.get(30, TimeUnit.SECONDS)).startsWith("20");
      }
      assertThat(count(source, "written")).isEqualTo(200);
    } finally {
      threads.shutdownNow();
      if (source instanceof AutoCloseable closeable) {
        closeable.close();
      }
    }
  }

  @Test
  void readsRandomRowsOfFiftyThousand() throws Exception {
    DataSource source = Connections.open(database.jdbcUrl(), "per-request");
    Application application = Applications.named("dbread", 0, source);
    assertThat(count(source, "readable")).isEqualTo(50_000);
    Set<String> answers = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      answers.add(application.answer());
    }
    assertThat(answers).allSatisfy(answer -> assertThat(answer).startsWith("20"));
    Applications.named("dbread", 0, source);
    assertThat(count(source, "readable")).as("filling it again adds nothing").isEqualTo(50_000);
  }

  private static int count(DataSource source, String table) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  void aDatabaseThatIsNotThereFailsWithinSeconds() throws Exception {
    DataSource source =
        Connections.open(
            "jdbc:mariadb://127.0.0.1:1/x?user=root&connectTimeout=2000", "per-request");
    assertThatThrownBy(() -> Applications.named("dbwrite", 0, source))
        .isInstanceOf(SQLException.class);
  }

  @Test
  void theServerDiesWithItsProcessEvenWhenThatIsKilled() throws Exception {
    Process process = startProcess();
    List<ProcessHandle> family = process.descendants().toList();
    process.destroyForcibly();
    for (ProcessHandle child : family) {
      child.onExit().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void theProcessEndsWhenTheServerDies() throws Exception {
    Process process = startProcess();
    process.descendants().filter(DatabaseTest::isServer).forEach(ProcessHandle::destroyForcibly);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(1);
  }

  private static Process startProcess() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                DatabaseMain.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String ready =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    assertThat(new ObjectMapper().readTree(ready).get("jdbcUrl").asText())
        .startsWith("jdbc:mariadb://127.0.0.1:");
    assertThat(process.descendants()).anyMatch(DatabaseTest::isServer);
    return process;
  }

  private static boolean isServer(ProcessHandle process) {
    return process.info().command().orElse("").endsWith("mariadbd");
  }
}
