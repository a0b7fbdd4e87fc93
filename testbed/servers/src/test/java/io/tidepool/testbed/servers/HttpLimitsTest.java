package io.tidepool.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.tidepool.testbed.applications.Application;
import io.tidepool.testbed.servers.architectures.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may do to the server that are hostile, hasty, slow or gone. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // Each test starts the server that it needs.
final class HttpLimitsTest {

  private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final String CHUNKED =
      "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** The last chunk of a body. */
  private static final String END = "0\r\n\r\n";

  private static final String OTHER = "GET /other HTTP/1.1\r\nHost: test\r\n\r\n";

  private final ExecutorService threads = Executors.newFixedThreadPool(8);
  private HttpServer server;

  private void serve(HttpSettings settings, Application application, Executor executor)
      throws IOException {
    server = new HttpServer(settings, "/app", application, executor);
  }

  private RawClient connect() throws IOException {
    return new RawClient(server.port());
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    server.close();
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  @Test
  void aRequestMayBeSplitAnywhere() throws IOException {
    serve(HttpSettings.DEFAULTS, () -> "fine", threads);
    String post = CHUNKED + "3\r\nabc\r\n0\r\n\r\n";
    try (RawClient client = connect()) {
      for (int split = 1; split < post.length(); split++) {
        client.send(post.substring(0, split));
        client.send(post.substring(split));
        assertThat(client.read().body()).as("split at %d", split).isEqualTo("fine");
      }
    }
  }

  /** Numbers the requests as they are handed over, which is their order on the connection. */
  private static final class Numbering implements Executor {
    private final Executor executor;
    private final ThreadLocal<Integer> mine = new ThreadLocal<>();
    private final AtomicInteger outstanding = new AtomicInteger();
    private int next;
    private volatile int most;

    Numbering(Executor executor) {
      this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
      int number = next++;
      most = Math.max(most, outstanding.incrementAndGet());
      executor.execute(
          () -> {
            mine.set(number);
            outstanding.decrementAndGet();
            task.run();
          });
    }

    int mine() {
      return mine.get();
    }
  }

  @Test
  void answersComeInTheOrderOfRequestsUnderRandomServiceTimes() throws IOException {
    Numbering numbering = new Numbering(threads);
    Random random = new Random(1);
    serve(
        HttpSettings.DEFAULTS,
        () -> {
          int number = numbering.mine();
          LockSupport.parkNanos(random.nextInt(1_000_000));
          return Integer.toString(number);
        },
        numbering);
    try (RawClient client = connect()) {
      // Answers that are ready at once, the 404s, must wait for their turn too.
      client.send((GET + GET + OTHER).repeat(300));
      for (int i = 0; i < 300; i++) {
        assertThat(client.read().body()).isEqualTo(Integer.toString(2 * i));
        assertThat(client.read().body()).isEqualTo(Integer.toString(2 * i + 1));
        assertThat(client.read().status()).isEqualTo(404);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16})
  void noMoreRequestsOfAConnectionAreUnderWayThanThePipelineAdmits(int pipeline)
      throws IOException {
    Numbering numbering = new Numbering(threads);
    serve(HttpSettings.DEFAULTS.withPipeline(pipeline), () -> "fine", numbering);
    try (RawClient client = connect()) {
      client.send(GET.repeat(2_000));
      for (int i = 0; i < 2_000; i++) {
        assertThat(client.read().body()).isEqualTo("fine");
      }
    }
    assertThat(numbering.most).isBetween(1, pipeline);
  }

  @Test
  void aClientThatTakesNoAnswersIsNotReadFrom() throws IOException {
    AtomicInteger served = new AtomicInteger();
    String large = "x".repeat(100_000);
    serve(
        HttpSettings.DEFAULTS.withEventLoops(1),
        () -> {
          served.incrementAndGet();
          return large;
        },
        Runnable::run);
    int requests = 2_000;
    try (RawClient greedy = connect();
        RawClient other = connect()) {
      greedy.send(GET.repeat(requests));
      // One loop serves both in turns, so the greedy one has had its turns when this is done.
      for (int i = 0; i < 100; i++) {
        other.send(OTHER);
        assertThat(other.read().status()).isEqualTo(404);
      }
      // What the two sockets hold is some megabytes; all answers would be 200.
      assertThat(served.get()).isLessThan(requests / 4);
      for (int i = 0; i < requests; i++) {
        assertThat(greedy.read().body()).hasSize(large.length());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u00fc\u0003\u0003 TLS speaks here\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: many\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "GET /app HTTP/1.1\r\nHost : test\r\n\r\n",
        "GET /app HTTP/1.1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        // Where such a request ends depends on who reads it: what follows must not be served.
        "POST /app HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            + END
            + GET,
        "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
            + END
            + GET,
        "POST /app HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + END + GET,
        "POST /app HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + END + GET,
      })
  void malformedIs400AndClosed(String request) throws IOException {
    serve(HttpSettings.DEFAULTS, () -> "fine", threads);
    try (RawClient client = connect()) {
      client.send(request);
      assertThat(client.read().status()).isEqualTo(400);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'GET /app HTTP/9.9\r\nHost: test\r\n\r\n', 505",
    "'GET /app HTTP/2.0\r\nHost: test\r\n\r\n', 505",
    "'GET /app HTTP/0.9\r\n\r\n', 505",
    "'POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: gzip\r\n\r\n', 501",
    "'POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n', 501",
    "'POST /app HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\nab', 501",
  })
  void whatIsNotSpokenIsToldAndTheConnectionClosed(String request, int status) throws IOException {
    serve(HttpSettings.DEFAULTS, () -> "fine", threads);
    try (RawClient client = connect()) {
      client.send(request + GET);
      assertThat(client.read().status()).isEqualTo(status);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void anAnswerToHeadHasALengthAndNoBody() throws IOException {
    serve(HttpSettings.DEFAULTS, () -> "fine", threads);
    try (RawClient client = connect()) {
      client.send("HEAD /app HTTP/1.1\r\nHost: test\r\n\r\n");
      assertThat(client.head()).contains("content-length: 4");
      client.send(GET);
      assertThat(client.read().body()).isEqualTo("fine");
    }
  }

  @Test
  void aRefusalReachesAClientThatIsStillSending() throws IOException {
    serve(HttpSettings.DEFAULTS, () -> "fine", threads);
    String chunk = "8000\r\n" + "x".repeat(0x8000) + "\r\n";
    try (RawClient client = connect()) {
      client.send(CHUNKED);
      for (int i = 0; i < 100; i++) {
        client.send(chunk);
      }
      assertThat(client.read().status()).isEqualTo(413);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void anExpectationIsMetOrRefusedInItsTurn() throws IOException {
    serve(HttpSettings.DEFAULTS, () -> "fine", threads);
    String head = "POST /app HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: ";
    try (RawClient client = connect()) {
      client.send(head + "3\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(100);
      client.send("abc");
      assertThat(client.read().status()).isEqualTo(200);
      client.send(GET + head + "1000000\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(200);
      assertThat(client.read().status()).isEqualTo(413);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void nothingBehindTheLastRequestIsServed() throws IOException {
    AtomicInteger served = new AtomicInteger();
    serve(HttpSettings.DEFAULTS, () -> Integer.toString(served.incrementAndGet()), Runnable::run);
    try (RawClient client = connect()) {
      client.send("GET /app HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n" + GET + GET);
      assertThat(client.read().body()).isEqualTo("1");
      assertThat(client.closedByServer()).isTrue();
    }
    assertThat(served).hasValue(1);
  }

  @Test
  void speaksToOldClientsAsTheyExpect() throws IOException {
    serve(HttpSettings.DEFAULTS, () -> "fine", threads);
    try (RawClient client = connect()) {
      client.send("GET /app HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      assertThat(client.read().head()).contains("connection: keep-alive");
      client.send("GET /app HTTP/1.0\r\n\r\n");
      assertThat(client.read().head()).contains("connection: close");
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void aFailureIsOneLineWhateverItsMessage() throws IOException {
    List<RuntimeException> failures =
        List.of(
            new IllegalStateException("\n  first line\nsecond line"),
            new IllegalStateException(),
            new IllegalStateException(""));
    AtomicInteger next = new AtomicInteger();
    serve(
        HttpSettings.DEFAULTS,
        () -> {
          throw failures.get(next.getAndIncrement());
        },
        threads);
    try (RawClient client = connect()) {
      List<String> bodies = new ArrayList<>();
      for (int i = 0; i < failures.size(); i++) {
        client.send(GET);
        bodies.add(client.read().body());
      }
      assertThat(bodies)
          .containsExactly(
              "the application failed: first line\n",
              "the application failed: java.lang.IllegalStateException\n",
              "the application failed: no message\n");
    }
  }

  @Test
  void aRequestThatComesInDripsTimesOut() throws IOException {
    serve(HttpSettings.DEFAULTS.withIdleTimeout(Duration.ofMillis(200)), () -> "fine", threads);
    try (RawClient client = connect()) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      client.send("GET /app HTTP/1.1\r\nX: ");
      try {
        while (System.nanoTime() < deadline) {
          // Slower than the server reads, faster than the timeout.
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
          client.send("x");
        }
      } catch (IOException closed) {
        return;
      }
    }
    throw new AssertionError("a client that sends a byte now and then holds a connection for ever");
  }

  @Test
  void aLongServiceTimeIsNoIdleTime() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    serve(
        HttpSettings.DEFAULTS.withIdleTimeout(Duration.ofMillis(100)),
        () -> {
          release.await();
          return "late";
        },
        threads);
    try (RawClient patient = connect()) {
      patient.send(GET);
      // Twice, each of them opened and closed after the request came: two timeouts have passed.
      for (int i = 0; i < 2; i++) {
        try (RawClient silent = connect()) {
          assertThat(silent.closedByServer()).isTrue();
        }
      }
      release.countDown();
      assertThat(patient.read().body()).isEqualTo("late");
    }
  }

  private static long buffersInUse() {
    return PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
        .mapToLong(PoolArenaMetric::numActiveAllocations)
        .sum();
  }

  @Test
  void connectionsThatAreCutOffLeakNothing() throws Exception {
    long before = buffersInUse();
    CountDownLatch release = new CountDownLatch(1);
    serve(
        HttpSettings.DEFAULTS.withPipeline(2),
        () -> {
          release.await();
          return "late";
        },
        threads);
    String large = "POST /app HTTP/1.1\r\nHost: test\r\nContent-Length: 50000\r\n\r\n";
    List<String> beginnings =
        List.of("", "GET /a", GET, GET.repeat(50), large, large + "x".repeat(20_000), GET + "GE");
    for (int i = 0; i < 20; i++) {
      for (String beginning : beginnings) {
        RawClient client = connect();
        client.send(beginning);
        if (i % 2 == 0) {
          client.close();
        } else {
          client.reset();
        }
      }
    }
    release.countDown();
    // A connection that waits for answers is known to be gone when they cannot be sent.
    await("all connections are gone", () -> server.connections() == 0);
    server.close();
    // A loop's cache of buffers is given back when its thread ends.
    await("all buffers are given back", () -> buffersInUse() <= before);
  }
}
