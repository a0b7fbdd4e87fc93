package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Values, bodies and expected texts on their way to a real server and back. */
@Timeout(300)
class ContentTest {

  /** Requests that are answered; nobody answers those that come later. */
  private static final int ANSWERS = 40;

  private static final String LOAD =
      """
      clients: {kind: %s, think_time: 5ms}
      for: 600s
      timeout: 300s
      parameters: {user: 1..5000}
      http:
        a:
          method: POST
          path: /hello?to={user}
          body: name=user{user}
          expect: Hello user{user}!
      """;

  private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;

  /** One in four gets the answer that is meant for another user. */
  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/hello",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          bodies.add(
              exchange.getRequestHeaders().getFirst("Content-Type")
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + body);
          int request = requests.incrementAndGet();
          if (request > ANSWERS) {
            return;
          }
          boolean right = request % 4 != 0;
          byte[] answer =
              "<h1>Hello %s!</h1>"
                  .formatted(right ? body.substring("name=".length()) : "somebody")
                  .getBytes(StandardCharsets.UTF_8);
          // Chunked, unlike the answers of other tests.
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write(answer, 0, 7);
          exchange.getResponseBody().flush();
          exchange.getResponseBody().write(answer, 7, answer.length - 7);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void closedUsersCountAnswersWithoutTheTextAsErrors(@TempDir Path folder) throws Exception {
    check("closed, users: 4", folder);
  }

  @Test
  void sessionsDoAsWell(@TempDir Path folder) throws Exception {
    check("half-open, rate: 50/s, stay: 0.8", folder);
  }

  private void check(String clients, Path folder) throws Exception {
    LoadCommand command =
        LoadCommand.runUntil(
            () -> LoadCommand.awaitRecorded(folder, ANSWERS),
            LOAD.formatted(clients),
            "--target",
            "http://127.0.0.1:" + server.getAddress().getPort(),
            "--record",
            folder.toString(),
            "--jtl");
    assertThat(command.code()).as(command.err()).isZero();
    JsonNode summary = LoadCommand.summary(folder);
    assertThat(summary.get("requests").asInt()).isEqualTo(ANSWERS);
    assertThat(summary.get("errors_by_kind").get("wrong content").asInt()).isEqualTo(ANSWERS / 4);
    assertThat(summary.get("errors").asInt()).isEqualTo(ANSWERS / 4);
    assertThat(bodies)
        .allMatch(
            line ->
                line.matches("application/x-www-form-urlencoded /hello\\?to=(\\d+) name=user\\1"));
    assertThat(bodies.stream().distinct().count()).isGreaterThan(ANSWERS / 2);
    assertThat(Files.readString(folder.resolve("samples.jtl")))
        .contains("Non HTTP response code: wrong content")
        .doesNotContain("wrong content,closed 1-1,text,true");
  }
}
