package io.poolkeeper.testbed.applications.downstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests to the admin port of a downstream server: those of pages are refused. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // The server is started before each test.
final class DownstreamAdminTest {

  private DownstreamServer server;
  private DownstreamAdmin admin;

  @BeforeEach
  void start() throws IOException {
    server = new DownstreamServer(0, DownstreamServer.DEFAULTS);
    admin = new DownstreamAdmin(0, server);
  }

  @AfterEach
  void stop() {
    admin.close();
    server.close();
  }

  /** Posts a fault with header fields, and returns the first line of the answer. */
  private String post(String fields) throws IOException {
    String request =
        "POST /settings?fault=reset HTTP/1.1\r\n%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            .formatted(fields.replace("; ", "\r\n"))
            .replace("PORT", Integer.toString(admin.port()));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), admin.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .findFirst()
          .orElse("");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Host: localhost; Origin: http://example.com",
    "Host: localhost:PORT; Origin: null",
    "Host: localhost:PORT; Origin: http://localhost:1",
    "Host: example.com:PORT; Origin: http://example.com:PORT",
    "Host: localhost.example.com",
  })
  void pagesOfAnotherOriginAreRefused(String fields) throws IOException {
    assertThat(post(fields)).startsWith("HTTP/1.1 403 ");
    assertThat(server.settings()).containsEntry("fault", "none");
  }

  @Test
  void whatCannotBeDoneIsAnsweredToo() throws IOException {
    server.change(null, Map.of("fault", "refuse"));
    try (ServerSocket other =
        new ServerSocket(server.port(), 1, InetAddress.getLoopbackAddress())) {
      assertThat(other.isBound()).isTrue();
      assertThat(post("Host: localhost")).startsWith("HTTP/1.1 500 ");
    }
  }

  @ParameterizedTest
  @CsvSource({"Host: 127.0.0.1:PORT", "Host: LOCALHOST:PORT; Origin: http://localhost:PORT"})
  void whoAsksOnThisMachineIsAnswered(String fields) throws IOException {
    assertThat(post(fields)).startsWith("HTTP/1.1 200 ");
    assertThat(server.settings()).containsEntry("fault", "reset");
  }
}
