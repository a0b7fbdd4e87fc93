package io.poolkeeper.testbed.servers.conformance;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A stop loses no answer. */
final class StoppingTest extends Conformance {

  @Test
  void aStopLosesNoAnswerToWhatIsUnderWay() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (TestServer ending = new TestServer(architecture(), ServerSettings.DEFAULTS)) {
      ending.application =
          () -> {
            begun.countDown();
            release.await();
            return "fine";
          };
      try (RawClient client = ending.connect()) {
        client.send(GET);
        assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
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
      } // A stop waits for the ends of those that are connected.
      assertThat(ending.drain()).isEmpty();
    } finally {
      release.countDown();
    }
  }

  @Test
  void aStopServesThoseWhoHaveConnected() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    ExecutorService stopping = Executors.newSingleThreadExecutor();
    List<RawClient> clients = new ArrayList<>();
    try (TestServer ending = new TestServer(architecture(), ServerSettings.DEFAULTS)) {
      CountDownLatch begun = new CountDownLatch(1);
      ending.application =
          () -> {
            begun.countDown();
            release.await();
            return "fine";
          };
      // Where those who read process, all of them are held up, and who comes now is not accepted.
      for (int i = 0; i < 8; i++) {
        clients.add(ending.connect());
        clients.get(i).send(GET);
        assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
      }
      Future<?> stop = stopping.submit(() -> ending.server().drain());
      release.countDown();
      for (RawClient client : clients) {
        assertThat(client.read().body()).isEqualTo("fine");
      }
      stop.get();
    } finally {
      release.countDown();
      stopping.shutdownNow();
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  /**
   * Found so: a server that had let nobody in yet looked as if it had been left by all, and refused
   * them.
   */
  @Test
  void aStopAnswersThoseWhoConnectedAMomentBefore() throws Exception {
    int connections = 8;
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    try {
      for (int round = 0; round < 4; round++) {
        try (TestServer ending = new TestServer(architecture(), ServerSettings.DEFAULTS)) {
          List<Future<String>> bodies = new ArrayList<>();
          for (int i = 0; i < connections; i++) {
            RawClient client = ending.connect();
            client.send(GET);
            bodies.add(threads.submit(() -> lastBody(client)));
          }
          assertThat(ending.drain()).isEmpty();
          for (Future<String> body : bodies) {
            assertThat(body.get()).isEqualTo("fine");
          }
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Reads the answer that ends the connection, and ends it too. */
  private static String lastBody(RawClient client) throws IOException {
    try (client) {
      String body = client.read().body();
      assertThat(client.closedByServer()).isTrue();
      return body;
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
    try (TestServer ending = new TestServer(architecture(), ServerSettings.DEFAULTS)) {
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
      assertThat(ending.drain()).isEmpty();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aStopAnswersAllThatWasSentBefore() throws Exception {
    int requests = 150; // More than are under way at once, and than some servers read at once.
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    ExecutorService stopping = Executors.newSingleThreadExecutor();
    List<RawClient> clients = new ArrayList<>();
    try (TestServer ending = new TestServer(architecture(), ServerSettings.DEFAULTS)) {
      ending.application =
          () -> {
            begun.countDown();
            release.await();
            return "fine";
          };
      for (int i = 0; i < 8; i++) { // More than there are handlers.
        clients.add(ending.connect());
      }
      await("they are let in", () -> ending.server().connections() == 8);
      for (RawClient client : clients) {
        client.send(GET.repeat(requests));
      }
      assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
      Future<List<String>> losses = stopping.submit(() -> ending.drain());
      await("the stop is heard", () -> ending.server().shutdown().begun());
      release.countDown();
      for (RawClient client : clients) {
        for (int i = 1; i <= requests; i++) {
          RawClient.Answer answer = client.read();
          assertThat(answer.body()).isEqualTo("fine");
          assertThat(answer.head().contains("connection: close")).isEqualTo(i == requests);
        }
        // What is sent behind the last answer is no reason for a reset.
        boolean unused = client.sends(GET.repeat(1_000));
        assertThat(client.closedByServer()).isTrue();
        client.close();
      }
      assertThat(losses.get(300, TimeUnit.SECONDS)).isEmpty();
    } finally {
      release.countDown();
      stopping.shutdownNow();
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  @Test
  void whatAStopDidNotGetAnsweredIsSaid() throws Exception {
    String large = "x".repeat(20_000_000);
    try (TestServer ending = new TestServer(architecture(), ServerSettings.DEFAULTS);
        RawClient silent = ending.connect()) {
      AtomicInteger asked = new AtomicInteger();
      ending.application =
          () -> {
            asked.incrementAndGet();
            return large;
          };
      silent.send(GET.repeat(2));
      await("it is answered", () -> asked.get() > 0);
      assertThat(ending.drain(Duration.ofMillis(100)))
          .anyMatch(loss -> loss.matches("[12] requests? unanswered at the end"));
    }
  }

  @Test
  void anApplicationThatHangsHoldsUpNoStop() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<String> late = new CompletableFuture<>();
    try (TestServer ending = new TestServer(architecture(), ServerSettings.DEFAULTS);
        RawClient client = ending.connect()) {
      ending.application =
          () -> {
            begun.countDown();
            return late.join(); // Which hears no interrupt.
          };
      client.send(GET);
      assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
      assertThat(ending.drain(Duration.ofMillis(100))).contains("1 request unanswered at the end");
    } finally {
      late.complete("late");
    }
  }

  private static boolean connects(TestServer running) {
    try {
      running.connect().close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
