package io.poolkeeper.testbed.ntier.board;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.ntier.PostgresServer;
import io.poolkeeper.testbed.ntier.data.Boards;
import io.poolkeeper.testbed.ntier.database.Session;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.Globals;
import org.junit.jupiter.api.Test;

/** A database that is gone or slow, and the end of a board. */
class FaultTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  private static int connections(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, "postgres", null);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select count(*) from pg_stat_activity where application_name = 'board'"
                    + " and datname = current_database()")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  void requestsFailWith503WhileTheDatabaseIsGoneAndSucceedAgainAfterwards() throws Exception {
    try (PostgresServer postgres = PostgresServer.start();
        BoardProcess board = impatient(Boards.small(postgres), 20, 4, Duration.ofMillis(300))) {
      ExecutorService clients = Executors.newFixedThreadPool(6);
      AtomicBoolean ended = new AtomicBoolean();
      Queue<HttpResponse<String>> answers = new ConcurrentLinkedQueue<>();
      try {
        CompletableFuture<?>[] loops = new CompletableFuture<?>[6];
        for (int i = 0; i < loops.length; i++) {
          loops[i] = CompletableFuture.runAsync(() -> load(board, ended, answers), clients);
        }
        await(() -> answers.stream().filter(each -> each.statusCode() == 200).count() > 50);
        postgres.stop();
        await(() -> answers.stream().filter(each -> each.statusCode() == 503).count() > 10);
        assertThat(answers.stream().filter(each -> each.statusCode() != 200))
            .allMatch(each -> each.statusCode() == 503)
            .allMatch(each -> each.body().equals("the database is not available\n"));
        postgres.startAgain();
        answers.clear();
        await(() -> answers.stream().filter(each -> each.statusCode() == 200).count() > 50);
        ended.set(true);
        CompletableFuture.allOf(loops).get();
      } finally {
        ended.set(true);
        clients.shutdownNow();
      }
      // On a busy machine 300 ms may be too short for a connection.
      await(() -> board.get("/ViewStory?story=500").statusCode() == 200);
      JsonNode tier = board.idleTier();
      assertThat(tier.get("connections_busy").asInt()).isZero();
      assertThat(tier.get("waiting").asInt()).isZero();
      assertThat(tier.get("errors").asInt()).isPositive();
    }
  }

  private static void load(
      BoardProcess board, AtomicBoolean ended, Queue<HttpResponse<String>> answers) {
    while (!ended.get()) {
      try {
        answers.add(board.get("/ViewStory?story=500"));
        answers.add(
            board.post(
                "/StoreComment", "story=500&subject=a&body=b&nickname=user1&password=password1"));
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void requestThatWaitsForAConnectionCountsAsWaitingUntilItHasOne() throws Exception {
    String url = Boards.small(PostgresServer.shared());
    try (BoardProcess board = new BoardProcess(url, 5, 1, PATIENCE)) {
      CompletableFuture<HttpResponse<String>> answer;
      try (Session held = board.board.database().open("held")) {
        assertThat(held.query("select 1")).hasSize(1);
        answer = CompletableFuture.supplyAsync(() -> getQuietly(board, "/BrowseCategories"));
        await(() -> board.tier().get("waiting").asInt() == 1);
      }
      assertThat(answer.get().statusCode()).isEqualTo(200);
      assertThat(board.tier().get("waiting").asInt()).isZero();
    }
  }

  @Test
  void requestWithoutConnectionInTimeGets503() throws Exception {
    String url = Boards.small(PostgresServer.shared());
    try (BoardProcess board = impatient(url, 5, 1, Duration.ofSeconds(1))) {
      try (Session held = board.board.database().open("held")) {
        assertThat(held.query("select 1")).hasSize(1);
        assertThat(board.get("/BrowseCategories").statusCode()).isEqualTo(503);
        assertThat(board.tier().get("waiting").asInt()).isZero();
      }
      assertThat(board.get("/BrowseCategories").statusCode()).isEqualTo(200);
      assertThat(board.tier().get("waiting").asInt()).isZero();
      assertThat(board.tier().get("connection_wait_nanos").asLong()).isGreaterThan(900_000_000L);
    }
  }

  /**
   * Starts a board whose requests wait only a moment for a connection. It waits no longer for its
   * own first connection, which may take more on a busy machine; then it is started again.
   */
  private static BoardProcess impatient(String url, int threads, int connections, Duration patience)
      throws SQLException, IOException {
    while (true) {
      try {
        return new BoardProcess(url, threads, connections, patience);
      } catch (SQLTransientConnectionException e) {
        assertThat(e.getMessage()).contains("request timed out");
      }
    }
  }

  private static HttpResponse<String> getQuietly(BoardProcess board, String path) {
    try {
      return board.get(path);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void fewerConnectionsAreClosedAndMoreAreOpened() throws Exception {
    String url = Boards.small(PostgresServer.shared());
    try (BoardProcess board = new BoardProcess(url, 20, 8, Duration.ofSeconds(30))) {
      board.get("/BrowseCategories");
      await(() -> connections(url) == 8);
      board.admin("POST", "/size?connections=2");
      await(() -> connections(url) == 2);
      board.admin("POST", "/size?connections=5");
      await(() -> connections(url) == 5);
    }
  }

  @Test
  void moreThreadsTakeRequestsThatWait() throws Exception {
    String url = Boards.small(PostgresServer.shared());
    try (BoardProcess board = new BoardProcess(url, 2, 8, Duration.ofSeconds(30));
        Connection connection = DriverManager.getConnection(url, "postgres", null);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("lock table categories in access exclusive mode");
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        answers.add(
            CompletableFuture.supplyAsync(
                () -> getQuietly(board, "/BrowseCategories"),
                runnable -> new Thread(runnable).start()));
      }
      // A request that is not queued becomes busy a moment later, on its thread.
      await(() -> busyAndQueued(board).equals("2 busy, 2 queued"));
      board.admin("POST", "/size?threads=3");
      await(() -> busyAndQueued(board).equals("3 busy, 1 queued"));
      connection.rollback();
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.get().statusCode()).isEqualTo(200);
      }
    }
  }

  private static String busyAndQueued(BoardProcess board) throws Exception {
    JsonNode tier = board.tier();
    return tier.get("busy") + " busy, " + tier.get("queued") + " queued";
  }

  @Test
  void stopAnswersWhatIsUnderWayAndClosesAllConnections() throws Exception {
    String url = Boards.small(PostgresServer.shared());
    BoardProcess board = new BoardProcess(url, 20, 4, Duration.ofSeconds(30));
    CompletableFuture<HttpResponse<String>> answer;
    CompletableFuture<Void> stopped;
    try (Connection connection = DriverManager.getConnection(url, "postgres", null);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("lock table categories in access exclusive mode");
      answer = CompletableFuture.supplyAsync(() -> getQuietly(board, "/BrowseCategories"));
      await(() -> board.board.connections().held().busy() == 1);
      stopped = CompletableFuture.runAsync(board::close);
      await(() -> !accepts(board));
      assertThat(answer).isNotDone();
      connection.rollback();
    }
    assertThat(answer.get().body()).contains("BrowseCategories 20");
    stopped.get();
    await(() -> connections(url) == 0);
  }

  /** Tomcat would make the folder of a process's first board anew for each later one. */
  @Test
  void aBoardLeavesTomcatNoFolderToMakeAnew() throws Exception {
    String url = Boards.small(PostgresServer.shared());
    try (BoardProcess board = new BoardProcess(url, 2, 2, Duration.ofSeconds(30))) {
      assertThat(board.get("/BrowseCategories").statusCode()).isEqualTo(200);
      assertThat(System.getProperty(Globals.CATALINA_HOME_PROP)).isNull();
    }
  }

  /**
   * Whether the admin port, which closes first, still takes connections. It is not asked anything:
   * a request that comes while it closes may stay without an answer.
   */
  private static boolean accepts(BoardProcess board) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), board.adminPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void processEndsAtSigtermAndWhenItsInputEnds() throws Exception {
    String url = Boards.small(PostgresServer.shared());
    for (boolean signal : new boolean[] {true, false}) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "io.poolkeeper.testbed.ntier.board.BoardMain",
                  "--jdbc-url",
                  url)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        BufferedReader out = process.inputReader();
        JsonNode ready = new ObjectMapper().readTree(String.valueOf(out.readLine()));
        assertThat(ready.get("ready").asBoolean()).isTrue();
        assertThat(ready.get("port").asInt()).isPositive();
        assertThat(ready.get("admin_port").asInt()).isPositive();
        if (signal) {
          process.toHandle().destroy(); // The process itself would close its output, too.
        } else {
          process.getOutputStream().close();
        }
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(signal ? 143 : 0);
        assertThat(out.readLine()).isNull();
        await(() -> connections(url) == 0);
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
