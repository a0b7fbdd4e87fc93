package io.poolkeeper.testbed.servers.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Refuses requests that cannot be served, in their turn and with the reason. */
final class RefusingTest extends Conformance {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage\r\n\r\n",
        "GET /app HTTP/1.1\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: test\r\nContent-Length: many\r\n\r\n",
        "GET /app HTTP/1.1\r\nHost: te st\r\n\r\n",
        CHUNKED + "xyz\r\n",
        CHUNKED + "5\nabcde\r\n0\r\n\r\n",
        CHUNKED + "5 5\r\nabcde\r\n0\r\n\r\n",
        CHUNKED + "5 xyz\r\nabcde\r\n0\r\n\r\n",
        CHUNKED + "5;a\rb\r\nabcde\r\n0\r\n\r\n",
        CHUNKED + "5;a\u0000b\r\nabcde\r\n0\r\n\r\n",
        CHUNKED + "0\r\nno colon\r\n\r\n",
        CHUNKED + "0\r\nX: \u0000\r\n\r\n",
        CHUNKED + "0\r\nX : y\r\n\r\n",
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

  @Test
  void unknownMethodsAreRefused() throws IOException {
    serve(() -> "fine");
    refused("BREW /app HTTP/1.1\r\nHost: test\r\n\r\n", 501);
    refused("CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n", 501);
  }

  @Test
  void aRefusalOfAHeadHasNoBody() throws IOException {
    try (RawClient client = connect()) {
      client.send("HEAD /app HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
      assertThat(client.head()).startsWith("http/1.1 413 ").contains("content-length: ");
      assertThat(client.closedByServer()).isTrue();
    }
  }

  @Test
  void refusalsAndAnswersHaveADate() throws IOException {
    serve(() -> "fine");
    try (RawClient client = connect()) {
      client.send(GET + OTHER + "garbage\r\n\r\n");
      for (int status : new int[] {200, 404, 400}) {
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.head()).containsPattern("\ndate: [a-z]{3}, \\d\\d [a-z]{3} .* gmt");
      }
    }
  }

  /** In a thread of its own, since no interrupt ends a client that waits to send. */
  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whoGoesOnSendingAfterARefusalIsCutOff() throws IOException {
    String megabyte = "x".repeat(1 << 20);
    // No sweep for idle connections comes to the help of one that was closed and is still open.
    try (TestServer running = new TestServer(architecture(), PATIENT);
        RawClient client = running.connect()) {
      client.send("GET /app HTTP/1.1\r\nX: ");
      int sent = 0;
      while (sent < 500 && client.sends(megabyte)) {
        sent++;
      }
      assertThat(sent).as("megabytes that were taken").isLessThan(500);
    }
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
}
