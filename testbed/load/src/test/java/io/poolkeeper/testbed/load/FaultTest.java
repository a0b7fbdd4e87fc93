package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that do not do what they should. */
@Timeout(300)
class FaultTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @TempDir private Path folder = Path.of("");

  private static String load(int users, double seconds, int timeoutMillis) {
    return """
        clients: {kind: closed, phases: [{users: %d, for: %ss}], think_time: 1ms}
        timeout: %dms
        http: {a: /a}
        """
        .formatted(users, seconds, timeoutMillis);
  }

  /** Runs against the server, which may be closed before the end, and returns load.json. */
  private JsonNode run(ScriptedServer server, String load) throws Exception {
    LoadCommand command =
        LoadCommand.run(load, "--target", server.url(), "--record", folder.toString(), "--jtl");
    assertThat(command.code()).as(command.err()).isZero();
    JsonNode summary = LoadCommand.summary(folder);
    assertThat(LoadCommand.rows(folder.resolve("samples.jtl")))
        .hasSize(summary.get("requests").asInt());
    return summary;
  }

  private static Map<String, Long> errors(JsonNode summary) {
    Map<String, Long> errors = new HashMap<>();
    summary
        .get("errors_by_kind")
        .properties()
        .forEach(field -> errors.put(field.getKey(), field.getValue().asLong()));
    return errors;
  }

  private static double seconds(JsonNode summary) {
    return (double) (summary.get("end_ns").asLong() - summary.get("start_ns").asLong()) / SECOND;
  }

  @Test
  void aServerThatStallsCostsTimeoutsAndTheRunEndsOnTime() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(client -> never.await())) {
      JsonNode summary = run(server, load(4, 1, 200));

      assertThat(errors(summary)).containsOnlyKeys("timeout");
      assertThat(errors(summary).get("timeout")).isBetween(12L, 20L);
      server.awaitRequests(summary.get("requests").asLong());
      assertThat(summary.get("response")).isEmpty();
      assertThat(seconds(summary)).isBetween(1.0, 1.4);
    }
  }

  @Test
  void answersAreAwaitedAfterTheEndOfTheLastPhase() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              Thread.sleep(1500);
              client.send(FixedAnswerServer.HELLO);
            })) {
      JsonNode summary = run(server, load(3, 0.3, 5000));

      assertThat(summary.get("requests").asLong()).isEqualTo(3);
      assertThat(errors(summary)).isEmpty();
      assertThat(seconds(summary)).isBetween(1.5, 2.5);
      assertThat(LoadCommand.rows(folder.resolve("load.csv")))
          .extracting(row -> row.get("users") + " users, " + row.get("requests"))
          .containsExactly("3 users, 0", "0 users, 3");
    }
  }

  @Test
  void aServerThatDiesAndReturnsIsFoundAgain() throws Exception {
    CountDownLatch warm = new CountDownLatch(50);
    ScriptedServer mortal =
        new ScriptedServer(
            client -> {
              client.send(FixedAnswerServer.HELLO);
              warm.countDown();
            });
    CompletableFuture<ScriptedServer> reborn =
        CompletableFuture.runAsync(() -> kill(mortal, warm))
            .thenApplyAsync(
                unused -> restart(mortal.port()),
                CompletableFuture.delayedExecutor(700, TimeUnit.MILLISECONDS));
    JsonNode summary = run(mortal, load(5, 3, 1000));
    try (ScriptedServer server = reborn.join()) {
      assertThat(server.requests()).isGreaterThan(100);
    }

    // Users try again after 10, 20, 40 ms and so on: seven times in 0.7 s, and no storm.
    assertThat(errors(summary).get("connect refused")).isBetween(5L * 3, 5L * 8);
    // A connection may be reset while it still waits to be accepted.
    assertThat(errors(summary).keySet())
        .isSubsetOf(
            "connect refused", "connect failed", "connection reset", "closed before answer");
    assertThat(seconds(summary)).isBetween(3.0, 3.5);
  }

  private static void kill(ScriptedServer server, CountDownLatch when) {
    try {
      when.await();
      server.close();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static ScriptedServer restart(int port) {
    try {
      return new ScriptedServer(port, client -> client.send(FixedAnswerServer.HELLO));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aServerThatDiesForGoodIsNoReasonToHang() throws Exception {
    CountDownLatch warm = new CountDownLatch(50);
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              client.send(FixedAnswerServer.HELLO);
              warm.countDown();
            })) {
      CompletableFuture<Void> death = CompletableFuture.runAsync(() -> kill(server, warm));
      JsonNode summary = run(server, load(5, 1.5, 30_000));
      death.join();

      assertThat(summary.get("errors").asLong()).isLessThan(5 * 10);
      assertThat(seconds(summary)).isBetween(1.5, 2.0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "garbage, malformed answer: not a status line",
    "'HTTP/1.1 200 OK\nContent-Length: 1\n\nxx', malformed answer: bytes after its end",
    "'HTTP/1.1 200 OK\nContent-Length: x\n\n', malformed answer: bad content length",
    "'HTTP/1.1 200 OK\nContent-Length: 7\n\nhalf', closed before answer",
    "'HTTP/1.1 200', closed before answer",
    "'', closed before answer"
  })
  @Execution(ExecutionMode.CONCURRENT)
  void badAnswersAreErrorsByKind(String answer, String kind) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              client.send(answer.replace("\\n", "\r\n") + (answer.equals("garbage") ? "\n" : ""));
              client.close();
            })) {
      JsonNode summary = run(server, load(2, 0.5, 1000));

      assertThat(errors(summary)).containsOnlyKeys(kind);
      assertThat(summary.get("errors")).isEqualTo(summary.get("requests"));
      assertThat(summary.get("requests").asLong()).isEqualTo(server.requests()).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 404, 500})
  @Execution(ExecutionMode.CONCURRENT)
  void otherStatusesThan2xxAreErrors(int status) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client ->
                client.send("HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n".formatted(status)))) {
      JsonNode summary = run(server, load(2, 3, 1000));

      assertThat(errors(summary)).containsOnly(Map.entry("status " + status, server.requests()));
      assertThat(server.requests())
          .as("more than pauses between them would allow")
          .isGreaterThan(30);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aResetIsNotTheSameAsAClose() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.Client::reset)) {
      assertThat(errors(run(server, load(2, 0.5, 1000)))).containsOnlyKeys("connection reset");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\n\r\nuntil the end of the connection"
      })
  @Execution(ExecutionMode.CONCURRENT)
  void connectionsThatEndWithAnAnswerAreNoErrors(String answer) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              client.send(answer);
              client.close();
            })) {
      JsonNode summary = run(server, load(2, 0.5, 20_000));

      assertThat(errors(summary)).isEmpty();
      assertThat(summary.get("requests").asLong()).isEqualTo(server.requests()).isGreaterThan(10);
    }
  }

  @Test
  void aConnectionThatClosesWhileItsUserThinksIsNoError() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              client.send(FixedAnswerServer.HELLO);
              client.close();
            })) {
      JsonNode summary =
          run(
              server,
              """
              clients: {kind: closed, phases: [{users: 3, for: 1s}], think_time: 100ms}
              http: {a: /a}
              """);

      assertThat(errors(summary)).isEmpty();
      assertThat(summary.get("requests").asLong()).isGreaterThanOrEqualTo(3 * 7);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void answersMayComeByteByByteAndInChunks() throws Exception {
    String answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              for (int i = 0; i < answer.length(); i++) {
                client.send(answer.substring(i, i + 1));
              }
            })) {
      JsonNode summary = run(server, load(2, 0.5, 20_000));

      assertThat(errors(summary)).isEmpty();
      assertThat(summary.get("requests").asLong()).isEqualTo(server.requests()).isGreaterThan(10);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void methodsAreSentAndHeadHasNoBody() throws Exception {
    Map<String, Integer> requests = new ConcurrentHashMap<>();
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              requests.merge(client.request(), 1, Integer::sum);
              boolean head = client.request().startsWith("HEAD");
              client.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + (head ? "" : "ab"));
            })) {
      JsonNode summary =
          run(
              server,
              """
              clients:
                kind: closed
                phases: [{users: 2, for: 0.3s}]
                think_time: 1ms
                requests: {h: 0.5, p: 0.5}
              http:
                h: {method: HEAD, path: /h}
                p: {method: POST, path: "/p?q=1"}
              """);

      assertThat(errors(summary)).isEmpty();
      assertThat(requests).containsOnlyKeys("HEAD /h HTTP/1.1", "POST /p?q=1 HTTP/1.1");
    }
  }
}
