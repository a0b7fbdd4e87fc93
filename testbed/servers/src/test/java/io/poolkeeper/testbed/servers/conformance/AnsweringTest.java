package io.poolkeeper.testbed.servers.conformance;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Requests that are in order are answered: each, in their order, however their bytes come. */
final class AnsweringTest extends Conformance {

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
      assertThat(server().connections()).isEqualTo(1);
    }
  }

  @Test
  void answersWhatAProxyWouldAsk() throws IOException {
    serve(() -> "fine");
    try (RawClient client = connect()) {
      client.get("http://test/app");
      assertThat(client.read().body()).isEqualTo("fine");
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
            return fast.await(300, TimeUnit.SECONDS) ? "first" : "never";
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
}
