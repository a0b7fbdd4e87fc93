package io.poolkeeper.testbed.ntier.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.testbed.ntier.PostgresServer;
import io.poolkeeper.testbed.ntier.measure.ConnectionMeter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A database that goes away while a board starts. */
final class DatabaseTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  void leavesNoPoolOpenWhoseFirstConnectionFails() throws Exception {
    URI server = URI.create(boardOfOneTable().substring("jdbc:".length()));
    Set<Thread> before = poolThreads();
    try (SingleConnection door = new SingleConnection(server.getPort())) {
      DatabaseAddress address = new DatabaseAddress();
      new CommandLine(address)
          .parseArgs("--jdbc-url", "jdbc:postgresql://127.0.0.1:" + door.port() + server.getPath());
      assertThatThrownBy(() -> database(address))
          .isInstanceOf(SQLTransientConnectionException.class);
    }
    Set<Thread> left = poolThreads();
    left.removeAll(before);
    for (Thread thread : left) {
      thread.join(PATIENCE.toMillis());
      assertThat(thread.isAlive()).as(thread.getName()).isFalse();
    }
  }

  private static Database database(DatabaseAddress address) throws Exception {
    return new Database(
        address,
        1,
        Duration.ofMillis(300),
        new ConnectionMeter(System::nanoTime),
        Objective.throughput(),
        Controllers.forObjective(Objective.throughput()));
  }

  private static String boardOfOneTable() throws Exception {
    String url = PostgresServer.shared().createDatabase();
    try (Connection connection = DriverManager.getConnection(url, "postgres", null);
        Statement statement = connection.createStatement()) {
      statement.execute("create table stories (id int)");
    }
    return url;
  }

  /** Returns the threads of all pools of boards in this process. */
  private static Set<Thread> poolThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("connections"))
        .collect(Collectors.toSet());
  }

  /** Passes one connection on to a server, and refuses all others. */
  private static final class SingleConnection implements AutoCloseable {

    private final ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final int port = door.getLocalPort();

    SingleConnection(int server) throws IOException {
      start(() -> pass(server));
    }

    int port() {
      return port;
    }

    private void pass(int server) {
      try (Socket client = door.accept();
          Socket behind = new Socket(InetAddress.getLoopbackAddress(), server)) {
        door.close();
        start(() -> copy(behind, client));
        copy(client, behind);
      } catch (IOException e) {
        // Either end is gone, which ends the connection.
      }
    }

    private static void copy(Socket from, Socket to) {
      try {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException e) {
        // As above.
      }
    }

    private static void start(Runnable work) {
      Thread thread = new Thread(work, "door");
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      door.close();
    }
  }
}
