package io.tidepool.testbed.servers;

import static io.tidepool.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidepool.testbed.applications.Application;
import io.tidepool.testbed.servers.architectures.Architecture;
import io.tidepool.testbed.servers.architectures.Architecture.InputOutput;
import io.tidepool.testbed.servers.architectures.RawClient;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.VirtualThreads;
import io.tidepool.testbed.servers.handover.HandOver;
import io.tidepool.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every server must do for clients that are in order, hostile, hasty, slow or gone: all
 * architectures of the catalogue, as the command starts them. Those of one architecture share a
 * server, which has to bear what the clients before have done to it.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("architectures")
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // The servers are started before the first test.
final class ConformanceTest {

  private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final String OTHER = "GET /other HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final String CHUNKED =
      "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final ServerSettings HASTY =
      new ServerSettings(0, Duration.ofMillis(200), Limits.DEFAULTS);

  /** Idle connections that cost a blocking handler a millisecond each, round by round. */
  private static final int BLOCKING_IDLE = 300;

  private static final int IDLE = 10_000;

  private static IdleClients idleClients;

  @Parameter private String name;
  private Architecture architecture;
  private Running running;
  private Server server;

  /** Names, since reports show them; those that a system property asks for, or all. */
  static Stream<String> architectures() {
    String only = System.getProperty("architectures", "");
    return Architecture.ALL.stream()
        .map(Architecture::name)
        .filter(name -> only.isEmpty() || List.of(only.split(",", -1)).contains(name));
  }

  @BeforeAll
  static void startClients() throws IOException {
    idleClients = new IdleClients();
  }

  @AfterAll
  static void endClients() throws IOException {
    idleClients.close();
  }

  @BeforeParameterizedClassInvocation
  void start() throws IOException {
    architecture = Architecture.named(name);
    assumeTrue(
        architecture.inputOutput() != InputOutput.VIRTUAL || VirtualThreads.available(),
        "virtual threads need JDK 21 or later");
    running = new Running(architecture, ServerSettings.DEFAULTS);
    server = running.server();
  }

  @AfterParameterizedClassInvocation
  void stop() {
    if (running != null) {
      running.close();
    }
  }

  @AfterEach
  void leavesNothing() {
    await("all connections are gone", () -> server.connections() == 0);
  }

  private void serve(Application application) {
    running.application = application;
  }

  private RawClient connect() throws IOException {
    return running.connect();
  }

  private boolean connects(Running running) {
    try {
      running.connect().close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether requests run on a thread that reads, so that one that blocks holds up all others. */
  private boolean processesWhereItReads() {
    return architecture.handOver() == HandOver.NONE
        && architecture.inputOutput() != InputOutput.VIRTUAL;
  }

  /** Whether requests of one connection are processed at once. */
  private boolean handsRequestsOver() {
    return architecture.handOver() != HandOver.NONE
        && architecture.inputOutput() != InputOutput.VIRTUAL
        && architecture.inputOutput() != InputOutput.BLOCKING;
  }

  @Test
  void answersAndKeepsTheConnection() throws IOException {
    serve(() -> "fine");
    try (RawClient client = connect()) {
      for (int i = 0; i < 3; i++) {
        client.get("/app?with=query");
        assertThat(client.read().body()).isEqualTo("fine");
        client.send(OTHER);
        assertThat(client.read().status()).isEqualTo(404);
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void closesWhenAskedAndServesNothingBehind() throws IOException {
    AtomicInteger served = new AtomicInteger();
    serve(() -> Integer.toString(served.incrementAndGet()));
    try (RawClient client = connect()) {
      client.send("GET /app HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n" + GET + GET);
      assertThat(client.read().head()).contains("connection: close");
      assertThat(client.closedByServer()).isTrue();
    }
    assertThat(served).hasValue(1);
  }

  @Test
  void speaksToOldClientsAsTheyExpect() throws IOException {
    serve(() -> "fine");
    try (RawClient client = connect()) {
      client.send("GET /app HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      assertThat(client.read().head()).contains("connection: keep-alive");
      client.send("GET /app HTTP/1.0\r\n\r\n");
      assertThat(client.read().head()).contains("connection: close");
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void answersALateClientThatHasClosedItsEnd() throws IOException {
    serve(() -> "fine");
    try (RawClient client = connect()) {
      client.send(GET + GET);
      client.endSending();
      assertThat(client.read().body()).isEqualTo("fine");
      assertThat(client.read().body()).isEqualTo("fine");
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void readsRequestsThatComeByteByByte() throws IOException {
    serve(() -> "fine");
    String post = CHUNKED + "3\r\nabc\r\n0\r\n\r\n";
    try (RawClient client = connect()) {
      client.sendEachByteAlone(GET + post);
      assertThat(client.read().body()).isEqualTo("fine");
      assertThat(client.read().body()).isEqualTo("fine");
      for (int split = 1; split < post.length(); split++) {
        client.send(post.substring(0, split));
        client.send(post.substring(split));
        assertThat(client.read().body()).as("split at %d", split).isEqualTo("fine");
      }
    }
  }

  @Test
  void answersStandInTheOrderOfTheRequests() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    serve(
        () -> {
          // Later ones are often ready first.
          LockSupport.parkNanos(calls.incrementAndGet() % 3 == 0 ? 500_000 : 0);
          return "fine";
        });
    try (RawClient client = connect()) {
      client.send((GET + OTHER + OTHER).repeat(300));
      for (int i = 0; i < 300; i++) {
        assertThat(client.read().status()).isEqualTo(200);
        assertThat(client.read().status()).isEqualTo(404);
        assertThat(client.read().status()).isEqualTo(404);
      }
    }
  }

  @Test
  void anAnswerThatIsReadyWaitsForTheOneBefore() throws IOException {
    assumeTrue(handsRequestsOver(), "requests of a connection are processed one by one");
    CountDownLatch fast = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    serve(
        () -> {
          if (calls.getAndIncrement() == 0) {
            // The first request ends only after the second one has.
            return fast.await(20, TimeUnit.SECONDS) ? "first" : "never";
          }
          fast.countDown();
          return "second";
        });
    try (RawClient client = connect()) {
      client.send(GET);
      await("the first one has begun", () -> calls.get() == 1);
      client.send(GET);
      assertThat(client.read().body()).isEqualTo("first");
      assertThat(client.read().body()).isEqualTo("second");
    }
  }

  @Test
  void aClientThatTakesNoAnswersIsNotReadFrom() throws IOException {
    AtomicInteger served = new AtomicInteger();
    String large = "x".repeat(100_000);
    serve(
        () -> {
          served.incrementAndGet();
          return large;
        });
    int requests = 500;
    try (RawClient greedy = connect();
        RawClient other = connect()) {
      greedy.send(GET.repeat(requests));
      for (int i = 0; i < 100; i++) {
        other.send(OTHER);
        assertThat(other.read().status()).isEqualTo(404);
      }
      // What the two sockets hold is some megabytes; all answers would be 50.
      assertThat(served.get()).isLessThan(requests / 2);
      for (int i = 0; i < requests; i++) {
        assertThat(greedy.read().body()).hasSize(large.length());
      }
    }
    assertThat(served).hasValue(requests);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage\r\n\r\n",
        "GET /app HTTP/1.1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: many\r\n\r\n",
        "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
      })
  void malformedBehindAGoodOneLeavesTheGoodOneItsAnswer(String request) throws IOException {
    serve(() -> "fine");
    try (RawClient client = connect()) {
      client.send(GET + request + GET);
      assertThat(client.read().status()).isEqualTo(200);
      assertThat(client.read().status()).isEqualTo(400);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void oversizedIsRefusedWithItsOwnStatus() throws IOException {
    serve(() -> "fine");
    refused("GET /app HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n", 431);
    refused("GET /" + "x".repeat(20_000) + " HTTP/1.1\r\n\r\n", 414);
    refused("POST /app HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n", 413);
    String chunk = "8000\r\n" + "x".repeat(0x8000) + "\r\n";
    refused(CHUNKED + chunk.repeat(100), 413);
  }

  private void refused(String request, int status) throws IOException {
    try (RawClient client = connect()) {
      client.send(request);
      assertThat(client.read().status()).isEqualTo(status);
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void anExpectationIsMetOrRefusedInItsTurn() throws IOException {
    serve(() -> "fine");
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
  void whateverTheApplicationThrowsCostsNoHandler() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    serve(
        () -> {
          int call = calls.incrementAndGet();
          if (call % 2 == 1) {
            throw new StackOverflowError("deep");
          }
          throw new IOException("the disk is gone");
        });
    try (RawClient client = connect()) {
      client.send(GET.repeat(20));
      for (int i = 0; i < 20; i++) {
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body()).containsPattern("deep|the disk is gone");
      }
    }
  }

  @Test
  void aSilentConnectionIsClosedAndOneThatDripsToo() throws IOException {
    try (Running hasty = new Running(architecture, HASTY);
        RawClient silent = hasty.connect();
        RawClient dripping = hasty.connect()) {
      silent.send("GET /app HT");
      assertThat(silent.closedByServer()).isTrue();
      dripping.send("GET /app HTTP/1.1\r\nX: ");
      await(
          "the one that drips is closed",
          () -> {
            // Slower than the server reads, faster than the timeout.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            return !dripping.sends("x");
          });
    }
  }

  @Test
  void aLongServiceTimeIsNoIdleTime() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (Running hasty = new Running(architecture, HASTY);
        RawClient patient = hasty.connect()) {
      hasty.application =
          () -> {
            release.await();
            return "late";
          };
      patient.send(GET);
      if (!processesWhereItReads()) {
        // Each opened and closed after the request came: two timeouts have passed.
        for (int i = 0; i < 2; i++) {
          try (RawClient silent = hasty.connect()) {
            assertThat(silent.closedByServer()).isTrue();
          }
        }
      }
      release.countDown();
      assertThat(patient.read().body()).isEqualTo("late");
    }
  }

  @Test
  void clientsThatGoAwayLeaveNothing() throws Exception {
    serve(() -> "fine");
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
    await("all connections are gone", () -> server.connections() == 0);
    try (RawClient client = connect()) {
      client.send(GET);
      assertThat(client.read().body()).isEqualTo("fine");
    }
  }

  @Test
  void idleConnectionsCostTheOthersNothing(TestReporter reporter) throws IOException {
    serve(() -> "fine");
    int wanted = architecture.inputOutput() == InputOutput.BLOCKING ? BLOCKING_IDLE : IDLE;
    var system =
        (com.sun.management.UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - 200;
    int many = (int) Math.min(wanted, free);
    reporter.publishEntry("idle connections", Integer.toString(many));
    assertThat(idleClients.say(server.port() + " " + many)).isEqualTo("open " + many);
    try (RawClient busy = connect()) {
      for (int i = 0; i < 10; i++) {
        busy.send(GET);
        assertThat(busy.read().body()).isEqualTo("fine");
      }
      // One may be counted after another one, accepted by another thread, was served.
      await("all are open", () -> server.connections() == many + 1);
    } finally {
      assertThat(idleClients.say("ask")).isEqualTo("answered " + (many + 9) / 10);
      assertThat(idleClients.say("close")).isEqualTo("closed");
    }
  }

  @Test
  void aStopLosesNoAnswerToWhatIsUnderWay() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (Running ending = new Running(architecture, ServerSettings.DEFAULTS);
        RawClient client = ending.connect()) {
      ending.application =
          () -> {
            begun.countDown();
            release.await();
            return "fine";
          };
      client.send(GET);
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      ending.server().drain();
      if (!processesWhereItReads()) {
        // Asked again, since one that comes in the moment of closing may be let in by the system.
        await("nobody is let in", () -> !connects(ending));
      }
      release.countDown();
      RawClient.Answer answer = client.read();
      assertThat(answer.body()).isEqualTo("fine");
      assertThat(answer.head()).contains("connection: close");
      assertThat(client.closedByServer()).isTrue();
      assertThat(ending.drain()).isZero();
    } finally {
      release.countDown();
    }
  }

  /** Asks until it is told that the connection ends; how often. */
  private static int asksToTheEnd(RawClient client) throws IOException {
    try (client) {
      for (int asked = 1; ; asked++) {
        client.send(GET);
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("fine");
        if (answer.head().contains("connection: close")) {
          return asked;
        }
      }
    }
  }

  @Test
  void aStopUnderLoadLosesNoAnswer() throws Exception {
    int clients = 16;
    AtomicInteger served = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try (Running ending = new Running(architecture, ServerSettings.DEFAULTS)) {
      ending.application =
          () -> {
            served.incrementAndGet();
            return "fine";
          };
      List<Future<Integer>> asked = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        RawClient client = ending.connect();
        asked.add(threads.submit(() -> asksToTheEnd(client)));
      }
      await("they are served", () -> served.get() > 50 * clients);
      ending.server().drain();
      int sum = 0;
      for (Future<Integer> each : asked) {
        sum += each.get();
      }
      assertThat(sum).isEqualTo(served.get());
      await("all connections are gone", () -> ending.server().connections() == 0);
      assertThat(ending.drain()).isZero();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void answersAllThatComesWhileHandlersJoinAndLeave() throws Exception {
    int clients = 16;
    int requests = 50;
    serve(() -> "fine");
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<Integer>> answered = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        answered.add(threads.submit(() -> asks(requests)));
      }
      for (int size : new int[] {1, 16, 2, 7, 3, 4}) {
        running.resize(size);
      }
      for (Future<Integer> each : answered) {
        assertThat(each.get()).isEqualTo(requests);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private int asks(int requests) throws IOException {
    int answered = 0;
    try (RawClient client = connect()) {
      for (int i = 0; i < requests; i++) {
        client.send(GET);
        answered += client.read().body().equals("fine") ? 1 : 0;
      }
    }
    return answered;
  }

  @Test
  void aPortInUseIsNamed() {
    ServerSettings taken =
        new ServerSettings(server.port(), Duration.ofSeconds(1), Limits.DEFAULTS);
    assertThatThrownBy(() -> new Running(architecture, taken))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on port " + server.port());
  }
}
