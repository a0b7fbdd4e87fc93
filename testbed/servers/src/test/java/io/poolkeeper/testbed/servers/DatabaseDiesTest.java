package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.applications.Applications;
import io.poolkeeper.testbed.applications.Connections;
import io.poolkeeper.testbed.applications.mariadb.Database;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.RawClient.Answer;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.netty.NettyServer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real database that goes away in mid-run, and comes back. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // The database is started before the first test.
final class DatabaseDiesTest {

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
  }

  private static Answer ask(RawClient client) throws Exception {
    client.get("/dbwrite");
    return client.read();
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-request", "pool:2"})
  void requestsFailInWordsUntilItIsBack(String mode) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Relay relay = new Relay(database.port())) {
      String url =
          database.jdbcUrl().replace(":" + database.port() + "/", ":" + relay.port() + "/");
      DataSource source = Connections.open(url, mode);
      Application write = Applications.named("dbwrite", 2, 1, source);
      Service service = new Service("/dbwrite", write);
      try (NettyServer server = new NettyServer(ServerSettings.DEFAULTS, service, threads, 2);
          RawClient client = new RawClient(server.port())) {
        assertThat(ask(client).status()).isEqualTo(200);
        relay.cut();
        Answer failed = ask(client);
        assertThat(failed.status()).isEqualTo(500);
        assertThat(failed.body()).startsWith("the application failed: ").endsWith("\n");
        assertThat(failed.body().lines()).hasSize(1);
        relay.mend();
        // A pool may hold a dead connection or two that it has to try first.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
        while (ask(client).status() != 200) {
          assertThat(System.nanoTime()).as("it recovers").isLessThan(deadline);
        }
      } finally {
        if (source instanceof AutoCloseable pool) {
          pool.close();
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
