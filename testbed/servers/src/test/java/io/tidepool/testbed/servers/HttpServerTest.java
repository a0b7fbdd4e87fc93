package io.tidepool.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidepool.AdaptiveExecutor;
import io.tidepool.Mode;
import io.tidepool.testbed.applications.Application;
import io.tidepool.testbed.servers.architectures.RawClient;
import io.tidepool.testbed.servers.architectures.RawClient.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HttpServerTest {

  private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";

  private AdaptiveExecutor pool;
  private HttpServer server;
  private volatile Application application;

  @BeforeEach
  void start() throws IOException {
    pool = pool("test").bounds(1, 16).initialSize(8).build();
    application = () -> "fine";
    server =
        new HttpServer(
            HttpSettings.DEFAULTS.withIdleTimeout(Duration.ofMillis(500)),
            "/app",
            () -> application.answer(),
            pool);
  }

  private static AdaptiveExecutor.Builder pool(String name) {
    return AdaptiveExecutor.builder(name)
        .mode(Mode.FROZEN)
        .jmx(false)
        .threadFactory(
            body -> {
              Thread thread = new Thread(body);
              thread.setUncaughtExceptionHandler((dying, thrown) -> {});
              return thread;
            });
  }

  @AfterEach
  void stop() {
    server.close();
    pool.shutdownNow();
  }

  private RawClient connect() throws IOException {
    return new RawClient(server.port());
  }

  @Test
  void answersAndKeepsTheConnection() throws IOException {
    try (RawClient client = connect()) {
      for (int i = 0; i < 3; i++) {
        client.get("/app?with=query");
        assertThat(client.read())
            .extracting(Answer::status, Answer::body)
            .containsExactly(200, "fine");
      }
    }
  }

  @Test
  void closesWhenAsked() throws IOException {
    try (RawClient client = connect()) {
      client.send("GET /app HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
      assertThat(client.read().head()).contains("connection: close");
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void answersStandInTheOrderOfTheRequests() throws Exception {
    CountDownLatch fast = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    application =
        () -> {
          if (calls.getAndIncrement() == 0) {
            // The first request ends only after the second one has.
            assertThat(fast.await(10, TimeUnit.SECONDS)).isTrue();
            return "first";
          }
          fast.countDown();
          return "second";
        };
    pool.resize(1);
    pool.resize(2);
    try (RawClient client = connect()) {
      client.get("/app");
      while (calls.get() == 0) {
        Thread.onSpinWait();
      }
      client.get("/app");
      assertThat(client.read().body()).isEqualTo("first");
      assertThat(client.read().body()).isEqualTo("second");
    }
  }

  @Test
  void readsARequestThatComesByteByByte() throws IOException {
    try (RawClient client = connect()) {
      client.sendEachByteAlone(GET + GET);
      assertThat(client.read().status()).isEqualTo(200);
      assertThat(client.read().status()).isEqualTo(200);
    }
  }

  @Test
  void unknownPathIs404AndTheConnectionLives() throws IOException {
    try (RawClient client = connect()) {
      client.get("/other");
      assertThat(client.read().status()).isEqualTo(404);
      client.get("/app");
      assertThat(client.read().status()).isEqualTo(200);
    }
  }

  @Test
  void malformedIs400AndClosed() throws IOException {
    for (String garbage : List.of("garbage\r\n\r\n", "GET\r\n\r\n", "GET /app HTTP/9\r\n\r\n")) {
      try (RawClient client = connect()) {
        client.send(garbage);
        assertThat(client.read().status()).as(garbage).isEqualTo(400);
        assertThat(client.closedByServer()).isTrue();
      }
    }
  }

  @Test
  void malformedBehindAGoodOneLeavesTheGoodOneItsAnswer() throws IOException {
    try (RawClient client = connect()) {
      client.send(GET + "garbage\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(200);
      assertThat(client.read().status()).isEqualTo(400);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void oversizedIsRefusedWithItsOwnStatus() throws IOException {
    try (RawClient client = connect()) {
      client.send("GET /app HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(431);
    }
    try (RawClient client = connect()) {
      client.send("GET /" + "x".repeat(20_000) + " HTTP/1.1\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(414);
    }
    try (RawClient client = connect()) {
      client.send("POST /app HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(413);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void anApplicationThatFailsIs500WithTheReason() throws IOException {
    application =
        () -> {
          throw new IOException("the disk is gone");
        };
    try (RawClient client = connect()) {
      client.get("/app");
      Answer answer = client.read();
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.body()).contains("the disk is gone");
    }
  }

  @Test
  void anErrorIs500AndCostsNoWorker() throws IOException {
    application =
        () -> {
          throw new StackOverflowError("deep");
        };
    try (RawClient client = connect()) {
      for (int i = 0; i < 50; i++) {
        client.get("/app");
        assertThat(client.read().status()).isEqualTo(500);
      }
      application = () -> "fine";
      client.get("/app");
      assertThat(client.read().body()).isEqualTo("fine");
    }
  }

  @Test
  void aFullQueueIs503() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AdaptiveExecutor small = pool("small").bounds(1, 1).initialSize(1).queueCapacity(1).build();
    try (HttpServer narrow =
            new HttpServer(
                HttpSettings.DEFAULTS,
                "/app",
                () -> {
                  release.await();
                  return "late";
                },
                small);
        RawClient first = new RawClient(narrow.port());
        RawClient second = new RawClient(narrow.port());
        RawClient third = new RawClient(narrow.port())) {
      first.get("/app");
      while (small.workers().isEmpty() || small.queued() > 0) {
        Thread.onSpinWait();
      }
      second.get("/app");
      while (small.queued() == 0) {
        Thread.onSpinWait();
      }
      third.get("/app");
      assertThat(third.read().status()).isEqualTo(503);
      release.countDown();
      assertThat(first.read().body()).isEqualTo("late");
      assertThat(second.read().body()).isEqualTo("late");
    } finally {
      small.shutdownNow();
    }
  }

  @Test
  void aSilentConnectionIsClosed() throws IOException {
    try (RawClient client = connect()) {
      client.send("GET /app HT");
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void clientsThatGoAwayLeaveNothing() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    application =
        () -> {
          release.await();
          return "too late";
        };
    for (int i = 0; i < 200; i++) {
      try (RawClient client = connect()) {
        client.get("/app");
      }
    }
    release.countDown();
    while (server.connections() > 0 || pool.queued() > 0) {
      Thread.onSpinWait();
    }
    application = () -> "fine";
    try (RawClient client = connect()) {
      client.get("/app");
      assertThat(client.read().body()).isEqualTo("fine");
    }
  }

  @Test
  void twoThousandConnectionsAtOnce() throws IOException {
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 2_000; i++) {
        RawClient client = connect();
        clients.add(client);
        client.get("/app");
      }
      for (RawClient client : clients) {
        assertThat(client.read().body()).isEqualTo("fine");
      }
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  @Test
  void aPortInUseIsNamed() {
    assertThatThrownBy(
            () ->
                new HttpServer(
                    HttpSettings.DEFAULTS.withPort(server.port()), "/", () -> "", Runnable::run))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on port " + server.port());
  }
}
