package io.poolkeeper.testbed.servers.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be served is refused, in its turn and with its reason. */
final class RefusingTest extends Conformance {

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
}
