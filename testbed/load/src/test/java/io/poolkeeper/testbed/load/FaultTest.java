package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.measure.Interval;
import io.poolkeeper.testbed.load.measure.RunListener;
import io.poolkeeper.testbed.load.measure.Summary;
import io.poolkeeper.testbed.load.run.LoadRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
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
      JsonNode summary = run(server, load(4, 2, 200));

      assertThat(errors(summary)).containsOnlyKeys("timeout");
      assertThat(errors(summary).get("timeout"))
          .as("a user asks again after 0.21 s at the earliest, ten times in 2 s")
          .isBetween(5L, 4 * 10L);
      server.awaitRequests(summary.get("requests").asLong());
      assertThat(server.requests()).isEqualTo(summary.get("requests").asLong());
      assertThat(summary.get("response")).isEmpty();
      assertThat(seconds(summary)).as("30 s is the usual timeout").isBetween(2.0, 25.0);
    }
  }

  @Test
  void answersAreAwaitedAfterTheEndOfTheLastPhase() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              awaitFirstInterval();
              client.send(FixedAnswerServer.HELLO);
            })) {
      JsonNode summary = run(server, load(3, 0.9, 300_000));

      assertThat(summary.get("requests").asLong()).isEqualTo(3);
      assertThat(errors(summary)).isEmpty();
      assertThat(seconds(summary)).isGreaterThan(1);
      List<Map<String, String>> rows = LoadCommand.rows(folder.resolve("load.csv"));
      assertThat(rows.get(0)).containsEntry("users", "3").containsEntry("requests", "0");
      assertThat(rows.subList(1, rows.size()))
          .extracting(row -> row.get("users"))
          .containsOnly("0");
      assertThat(LoadCommand.sum(rows, "requests")).isEqualTo(3);
    }
  }

  /** Waits for the row of the first interval, which is in the record once it has passed. */
  private void awaitFirstInterval() throws IOException, InterruptedException {
    while (Files.readAllLines(folder.resolve("load.csv")).size() < 2) {
      Thread.sleep(5);
    }
  }

  @Test
  void aServerThatDiesAndReturnsIsFoundAgain() throws Exception {
    CountDownLatch warm = new CountDownLatch(50);
    try (ScriptedServer mortal =
        new ScriptedServer(
            client -> {
              client.send(FixedAnswerServer.HELLO);
              warm.countDown();
            })) {
      Outage outage = new Outage();
      LoadRun run =
          new LoadRun(
              Loads.of(load(5, 600, 300_000)),
              Target.parse(mortal.url(), false),
              1,
              false,
              null,
              outage);
      CompletableFuture<ScriptedServer> reborn =
          CompletableFuture.supplyAsync(() -> outage.of(mortal, warm, run));
      Summary summary = run.run();
      reborn.join().close();

      Map<String, Long> errors = summary.tally().errorsByKind();
      // Users try again after 10, 20, 40 ms and so on, at last once a second: no storm.
      assertThat(errors.get("connect refused"))
          .isBetween(5L, 5 * (8 + TimeUnit.NANOSECONDS.toSeconds(outage.nanos)));
      // A connection may be reset while it still waits to be accepted.
      assertThat(errors.keySet())
          .isSubsetOf(
              "connect refused", "connect failed", "connection reset", "closed before answer");
    }
  }

  /** Time in which a server is gone, until the load tells of five refusals. */
  private static final class Outage implements RunListener {
    private final CountDownLatch refusals = new CountDownLatch(5);
    private volatile long nanos;

    /** Has a warm server die and return, and ends the run once it serves again. */
    private ScriptedServer of(ScriptedServer mortal, CountDownLatch warm, LoadRun run) {
      try {
        warm.await();
        long begin = System.nanoTime();
        mortal.die();
        refusals.await();
        ScriptedServer reborn = mortal.successor(client -> client.send(FixedAnswerServer.HELLO));
        nanos = System.nanoTime() - begin;
        reborn.awaitRequests(100);
        return reborn;
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      } finally {
        run.stop();
      }
    }

    @Override
    public void warmsUp(long start, long wall) {}

    @Override
    public void warmedUp(Interval interval) {}

    @Override
    public void begins(long start, long wall) {}

    @Override
    public void ended(Interval interval) {
      long refused = interval.tally().errorsByKind().getOrDefault("connect refused", 0L);
      for (long i = 0; i < refused; i++) {
        refusals.countDown();
      }
    }
  }

  @Test
  void aServerThatDiesForGoodIsNoReasonToHang() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              client.send(FixedAnswerServer.HELLO);
              asked.countDown();
            })) {
      CompletableFuture<Void> death = CompletableFuture.runAsync(() -> kill(server, asked));
      JsonNode summary = run(server, load(5, 1.5, 30_000));
      death.join();

      assertThat(summary.get("errors").asLong()).isLessThan(5 * 10);
      assertThat(seconds(summary)).as("an answer is waited for 30 s").isBetween(1.5, 25.0);
    }
  }

  private static void kill(ScriptedServer server, CountDownLatch when) {
    try {
      when.await();
      server.die();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
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
      JsonNode summary = run(server, load(2, 1.5, 300_000));
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
      JsonNode summary = run(server, load(2, 3, 300_000));

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
      assertThat(errors(run(server, load(2, 1.5, 300_000)))).containsOnlyKeys("connection reset");
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
      JsonNode summary = run(server, load(2, 2, 300_000));

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
              clients: {kind: closed, phases: [{users: 3, for: 2s}], think_time: 100ms}
              http: {a: /a}
              """);

      assertThat(errors(summary)).isEmpty();
      assertThat(summary.get("requests").asLong())
          .as("each user asked again")
          .isGreaterThanOrEqualTo(3 * 3);
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
      JsonNode summary = run(server, load(2, 2, 300_000));

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
                phases: [{users: 2, for: 1.5s}]
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
