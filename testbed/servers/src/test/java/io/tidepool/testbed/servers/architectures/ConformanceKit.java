package io.tidepool.testbed.servers.architectures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidepool.testbed.applications.Application;
import io.tidepool.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every server must do for clients that are in order, hostile, hasty, slow or gone. A class
 * for each architecture extends it and says how a server is started.
 */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // Each test starts the server that it needs.
public abstract class ConformanceKit {

  protected static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final String OTHER = "GET /other HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final String CHUNKED =
      "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final ServerSettings HASTY =
      new ServerSettings(0, Duration.ofMillis(200), Limits.DEFAULTS);

  private Server server;

  /** A server of this architecture with four handlers, where it has any. */
  protected abstract Server start(ServerSettings settings, Service service) throws IOException;

  /** Ends what {@link #start} began besides the server, once the server is closed. */
  protected abstract void end() throws Exception;

  /** Connections that it holds while they are idle, which is what its model allows. */
  protected int idleConnections() {
    return 10_000;
  }

  /** Whether requests run on a thread that reads, so that one that blocks holds up all others. */
  protected boolean processesWhereItReads() {
    return false;
  }

  private void serve(ServerSettings settings, Application application) throws IOException {
    server = start(settings, new Service("/app", application));
  }

  private void serve(Application application) throws IOException {
    serve(ServerSettings.DEFAULTS, application);
  }

  private RawClient connect() throws IOException {
    return new RawClient(server.port());
  }

  /** Both ends of each are files of this process, and earlier tests' may still be closing. */
  private static int connectionsToSelf() {
    var system =
        (com.sun.management.UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount();
    return (int) Math.min(Integer.MAX_VALUE, (free - 200) / 2);
  }

  private boolean connects() {
    try {
      connect().close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    end();
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
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
    await("the connection is gone", () -> server.connections() == 0);
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
      for (int split = 1; split < post.length(); split += 3) {
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
  void aClientThatTakesNoAnswersIsNotReadFrom() throws IOException {
    AtomicInteger served = new AtomicInteger();
    String large = "x".repeat(100_000);
    serve(
        () -> {
          served.incrementAndGet();
          return large;
        });
    int requests = 1_000;
    try (RawClient greedy = connect();
        RawClient other = connect()) {
      greedy.send(GET.repeat(requests));
      for (int i = 0; i < 100; i++) {
        other.send(OTHER);
        assertThat(other.read().status()).isEqualTo(404);
      }
      // What the two sockets hold is some megabytes; all answers would be 100.
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
    serve(HASTY, () -> "fine");
    try (RawClient silent = connect();
        RawClient dripping = connect()) {
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
    serve(
        HASTY,
        () -> {
          release.await();
          return "late";
        });
    try (RawClient patient = connect()) {
      patient.send(GET);
      if (!processesWhereItReads()) {
        // Each opened and closed after the request came: two timeouts have passed.
        for (int i = 0; i < 2; i++) {
          try (RawClient silent = connect()) {
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
  void idleConnectionsCostTheOthersNothing() throws IOException {
    serve(() -> "fine");
    List<RawClient> idle = new ArrayList<>();
    try (RawClient busy = connect()) {
      int many = Math.min(idleConnections(), connectionsToSelf());
      while (idle.size() < many) {
        idle.add(connect());
      }
      for (int i = 0; i < 10; i++) {
        busy.send(GET);
        assertThat(busy.read().body()).isEqualTo("fine");
      }
      for (RawClient client : idle.subList(0, Math.min(100, idle.size()))) {
        client.send(GET);
        assertThat(client.read().body()).isEqualTo("fine");
      }
    } finally {
      for (RawClient client : idle) {
        client.close();
      }
    }
  }

  @Test
  void aStopLosesNoAnswerToWhatIsUnderWay() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    serve(
        () -> {
          begun.countDown();
          release.await();
          return "fine";
        });
    try (RawClient client = connect()) {
      client.send(GET);
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      server.stopAccepting();
      if (!processesWhereItReads()) {
        // Asked again, since one that comes in the moment of closing may be let in by the system.
        await("nobody is let in", () -> !connects());
      }
      release.countDown();
      assertThat(client.read().body()).isEqualTo("fine");
      server.close();
      assertThat(client.closedByServer()).isTrue();
    } finally {
      release.countDown();
    }
  }

  @Test
  void aPortInUseIsNamed() throws IOException {
    serve(() -> "fine");
    ServerSettings taken =
        new ServerSettings(server.port(), Duration.ofSeconds(1), Limits.DEFAULTS);
    assertThatThrownBy(() -> start(taken, new Service("/app", () -> "fine")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on port " + server.port());
  }
}
