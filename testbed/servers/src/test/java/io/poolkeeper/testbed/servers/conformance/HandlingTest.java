package io.poolkeeper.testbed.servers.conformance;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.handover.HandOver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers outlive what they do, and may be any number. */
final class HandlingTest extends Conformance {

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
        running().resize(size);
      }
      for (Future<Integer> each : answered) {
        assertThat(each.get()).isEqualTo(requests);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void whatWaitsForAHandlerIsSeenWhereTheirNumberIsTuned() throws Exception {
    assumeTrue(architecture().handOver() != HandOver.NONE, "there are no handlers");
    CountDownLatch release = new CountDownLatch(1);
    List<RawClient> clients = new ArrayList<>();
    try (TestServer four = new TestServer(architecture(), ServerSettings.DEFAULTS)) {
      four.application =
          () -> {
            release.await();
            return "fine";
          };
      for (int i = 0; i < 10; i++) {
        clients.add(four.connect());
        clients.get(i).send(GET);
      }
      await("four are served and six wait", () -> four.queued() == 6);
      release.countDown();
      for (RawClient client : clients) {
        assertThat(client.read().body()).isEqualTo("fine");
      }
    } finally {
      release.countDown();
      for (RawClient client : clients) {
        client.close();
      }
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
}
