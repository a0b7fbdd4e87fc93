package io.poolkeeper.testbed.servers.conformance;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.Architecture.InputOutput;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.handover.HandOver;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Clients that are slow, silent, greedy, many or gone cost the others nothing. */
@SuppressWarnings("NullAway.Init") // The clients are started before the first test.
final class EnduringTest extends Conformance {

  /** Handlers for whom idle connections cost a millisecond each, round by round. */
  private static final int BLOCKING_HANDLERS = 32;

  private static final int IDLE = 10_000;

  private static IdleClients idleClients;

  @BeforeAll
  static void startClients() throws IOException {
    idleClients = new IdleClients();
  }

  @AfterAll
  static void endClients() throws IOException {
    idleClients.close();
  }

  /**
   * Whether a connection may be dealt to a handler that writes to a greedy client, and then waits
   * for it until the idle timeout: work in the mailbox of an actor stays there.
   */
  private boolean staysWithABlockedHandler() {
    return architecture().inputOutput() == InputOutput.BLOCKING
        && architecture().handOver() == HandOver.ACTOR;
  }

  @Test
  void aClientThatTakesNoAnswersIsNotReadFrom() throws IOException {
    AtomicInteger served = new AtomicInteger();
    String large = "x".repeat(100_000);
    int requests = 500;
    try (TestServer patient = new TestServer(architecture(), PATIENT);
        RawClient greedy = patient.connect()) {
      patient.application =
          () -> {
            served.incrementAndGet();
            return large;
          };
      greedy.send(GET.repeat(requests));
      if (!staysWithABlockedHandler()) {
        try (RawClient other = patient.connect()) {
          for (int i = 0; i < 100; i++) {
            other.send(OTHER);
            assertThat(other.read().status()).isEqualTo(404);
          }
        }
      }
      // What the two sockets hold is some megabytes; all answers would be 50.
      assertThat(served.get()).isLessThan(requests / 2);
      for (int i = 0; i < requests; i++) {
        assertThat(greedy.read().body()).hasSize(large.length());
      }
    }
    assertThat(served).hasValue(requests);
  }

  /**
   * Has clients ask a hasty server until the application is asked: one that comes late to send its
   * request, on a busy machine, has been given up before.
   *
   * @param clients gets those that asked; all stay open, since one may be served late
   */
  private static void ask(TestServer hasty, AtomicInteger asked, List<RawClient> clients)
      throws IOException {
    int before = asked.get();
    while (true) {
      RawClient client = hasty.connect();
      clients.add(client);
      boolean unused = client.sends(GET);
      long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
      while (System.nanoTime() - patience < 0) {
        if (asked.get() > before) {
          return;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  /** Whether a client is answered, which it is not if it comes late to ask. */
  private static boolean answers(TestServer hasty) {
    try (RawClient client = hasty.connect()) {
      client.send(OTHER);
      return client.read().status() == 404;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void clientsThatTakeNothingHoldUpTheOthersNoLongerThanTheIdleTimeout() throws IOException {
    String large = "x".repeat(20_000_000);
    AtomicInteger asked = new AtomicInteger();
    List<RawClient> silent = new ArrayList<>();
    try (TestServer hasty = new TestServer(architecture(), HASTY)) {
      hasty.application =
          () -> {
            asked.incrementAndGet();
            return large;
          };
      for (int i = 0; i < 4; i++) { // As many as there are handlers.
        ask(hasty, asked, silent);
      }
      for (int i = 0; i < 20; i++) {
        await("another one is answered", () -> answers(hasty));
      }
      await("they are given up", () -> hasty.server().shutdown().stuckConnections() == asked.get());
      await("and closed", () -> hasty.server().connections() == 0);
    } finally {
      for (RawClient each : silent) {
        each.close();
      }
    }
  }

  @Test
  void aSilentConnectionIsClosedAndOneThatDripsToo() throws IOException {
    try (TestServer hasty = new TestServer(architecture(), HASTY);
        RawClient silent = hasty.connect();
        RawClient dripping = hasty.connect()) {
      boolean unused = silent.sends("GET /app HT");
      assertThat(silent.givenUp()).isTrue();
      unused = dripping.sends("GET /app HTTP/1.1\r\nX: ");
      await(
          "the one that drips is closed",
          () -> {
            // Slower than the server reads, faster than the timeout.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            return !dripping.sends("x");
          });
    }
  }

  /** Whether the late answer comes, which it does not to a client that was given up. */
  private static boolean isAnswered(RawClient client) {
    try {
      assertThat(client.read().body()).isEqualTo("late");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void aLongServiceTimeIsNoIdleTime() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    List<RawClient> clients = new ArrayList<>();
    try (TestServer hasty = new TestServer(architecture(), HASTY)) {
      hasty.application =
          () -> {
            asked.incrementAndGet();
            release.await();
            return "late";
          };
      ask(hasty, asked, clients);
      if (!processesWhereItReads()) {
        // Each opened and closed after the request came: two timeouts have passed.
        for (int i = 0; i < 2; i++) {
          try (RawClient silent = hasty.connect()) {
            assertThat(silent.closedByServer()).isTrue();
          }
        }
      }
      release.countDown();
      // Any of them may be among those that asked, not the last one alone.
      int answered = 0;
      for (RawClient client : clients) {
        answered += isAnswered(client) ? 1 : 0;
      }
      assertThat(answered).as("of those that asked").isPositive().isEqualTo(asked.get());
    } finally {
      release.countDown();
      for (RawClient each : clients) {
        each.close();
      }
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
    await("all connections are gone", () -> server().connections() == 0);
    try (RawClient client = connect()) {
      client.send(GET);
      assertThat(client.read().body()).isEqualTo("fine");
    }
  }

  @Test
  void tenThousandIdleConnectionsAreBorne(TestReporter reporter) throws IOException {
    TestServer.TEN_THOUSAND_FILES.lock();
    try (TestServer patient = new TestServer(architecture(), PATIENT)) {
      if (architecture().inputOutput() == InputOutput.BLOCKING) {
        patient.resize(BLOCKING_HANDLERS);
      }
      var system =
          (com.sun.management.UnixOperatingSystemMXBean)
              ManagementFactory.getOperatingSystemMXBean();
      long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - 1_000;
      int many = (int) Math.min(IDLE, free);
      reporter.publishEntry("idle connections", Integer.toString(many));
      bears(patient, many);
    } finally {
      TestServer.TEN_THOUSAND_FILES.unlock();
    }
  }

  private static void bears(TestServer patient, int many) throws IOException {
    Server server = patient.server();
    assertThat(idleClients.say(server.port() + " " + many)).isEqualTo("open " + many);
    try (RawClient busy = patient.connect()) {
      for (int i = 0; i < 10; i++) {
        busy.send(GET);
        assertThat(busy.read().body()).isEqualTo("fine");
      }
      // One may be counted after another one, accepted by another thread, was served.
      await("all are open", () -> server.connections() == many + 1);
    } finally {
      assertThat(idleClients.say("ask")).isEqualTo("answered " + (many + 9) / 10);
      assertThat(idleClients.say("close")).isEqualTo("closed");
      await("they are gone", () -> server.connections() == 0);
    }
  }
}
