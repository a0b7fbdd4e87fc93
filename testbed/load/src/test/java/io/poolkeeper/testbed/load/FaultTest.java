package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.poolkeeper.testbed.load.description.Request;
import io.poolkeeper.testbed.load.http.Connection;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.http.Wire;
import io.poolkeeper.testbed.load.measure.Interval;
import io.poolkeeper.testbed.load.measure.RunListener;
import io.poolkeeper.testbed.load.measure.Summary;
import io.poolkeeper.testbed.load.run.LoadRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** Runs a load to its own end and returns load.json. */
  private static JsonNode run(ScriptedServer server, Path record, String load) throws Exception {
    return summary(LoadCommand.run(load, options(server, record)), record);
  }

  /**
   * Has users of a load meet a server that answers so many requests by a script. Returns load.json.
   */
  private JsonNode runUntilRest(int users, int answers, String load, ScriptedServer.Script script)
      throws Exception {
    LimitedAnswers limited = new LimitedAnswers(answers, users, script);
    try (ScriptedServer server = new ScriptedServer(limited)) {
      JsonNode summary =
          summary(LoadCommand.runUntil(limited::awaitRest, load, options(server, folder)), folder);
      assertThat(summary.get("requests").asInt()).isEqualTo(answers);
      assertThat(summary.get("unfinished").asInt()).isEqualTo(users);
      assertThat(server.requests()).isEqualTo(answers + users);
      return summary;
    }
  }

  private JsonNode runUntilRest(int users, int answers, ScriptedServer.Script script)
      throws Exception {
    return runUntilRest(users, answers, load(users, 600, 300_000), script);
  }

  private static String[] options(ScriptedServer server, Path record) {
    return new String[] {"--target", server.url(), "--record", record.toString(), "--jtl"};
  }

  private static JsonNode summary(LoadCommand command, Path record) throws IOException {
    assertThat(command.code()).as(command.err()).isZero();
    JsonNode summary = LoadCommand.summary(record);
    assertThat(LoadCommand.rows(record.resolve("samples.jtl")))
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
    RealLength.repeat(
        factor -> {
          Path record = folder.resolve("record" + factor);
          try (ScriptedServer server = new ScriptedServer(client -> never.await())) {
            JsonNode summary = run(server, record, load(4, factor, 200));
            long requests = summary.get("requests").asLong();
            if (requests <= 4) {
              return false; // nobody asked again
            }

            assertThat(errors(summary)).containsOnly(Map.entry("timeout", requests));
            assertThat(requests)
                .as("a user asks again after 0.2 s at the earliest")
                .isLessThanOrEqualTo(4 * (long) (seconds(summary) / 0.2));
            server.awaitRequests(requests);
            assertThat(server.requests()).isEqualTo(requests);
            assertThat(summary.get("response")).isEmpty();
            assertThat(seconds(summary) - factor)
                .as("30 s is the usual timeout")
                .isBetween(0.0, 25.0);
            return true;
          }
        });
  }

  @Test
  void answersAreAwaitedAfterTheEndOfTheLastPhase() throws Exception {
    RealLength.repeat(
        factor -> {
          double length = 0.5 * factor;
          Path record = folder.resolve("record" + factor);
          // The last interval that begins in the phase ends a second after it.
          int intervals = (int) Math.ceil(length);
          try (ScriptedServer server =
              new ScriptedServer(
                  client -> {
                    LoadCommand.awaitRows(record, rows -> rows.size() >= intervals);
                    client.send(FixedAnswerServer.HELLO);
                  })) {
            JsonNode summary = run(server, record, load(3, length, 300_000));
            if (server.requests() == 0) {
              return false;
            }

            assertThat(summary.get("requests").asLong()).isEqualTo(3);
            assertThat(errors(summary)).isEmpty();
            assertThat(seconds(summary)).isGreaterThan(length + 1);
            List<Map<String, String>> rows = LoadCommand.rows(record.resolve("load.csv"));
            assertThat(rows.subList(0, intervals))
                .allSatisfy(
                    row ->
                        assertThat(row).containsEntry("users", "3").containsEntry("requests", "0"));
            assertThat(rows.subList(intervals, rows.size()))
                .extracting(row -> row.get("users"))
                .containsOnly("0");
            assertThat(LoadCommand.sum(rows, "requests")).isEqualTo(3);
            return true;
          }
        });
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
      assertThat(errors.get("connect refused"))
          .as("no storm")
          .isBetween(5L, mostFailures(5, (double) outage.nanos / SECOND));
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
    RealLength.repeat(
        factor -> {
          CountDownLatch asked = new CountDownLatch(1);
          try (ScriptedServer server =
              new ScriptedServer(
                  client -> {
                    client.send(FixedAnswerServer.HELLO);
                    asked.countDown();
                  })) {
            CompletableFuture<Void> death = CompletableFuture.runAsync(() -> kill(server, asked));
            JsonNode summary =
                run(server, folder.resolve("record" + factor), load(5, factor, 30_000));
            asked.countDown();
            death.join();
            long errors = summary.get("errors").asLong();
            if (errors == 0) {
              return false; // it died too late, or nobody asked
            }

            assertThat(errors).isLessThanOrEqualTo(mostFailures(5, seconds(summary)));
            assertThat(seconds(summary) - factor)
                .as("an answer is waited for 30 s")
                .isBetween(0.0, 25.0);
            return true;
          }
        });
  }

  /**
   * Requests that may fail in a time: a user pauses 10 ms after the first, twice as long after each
   * further one, and at most a second.
   */
  private static long mostFailures(int users, double seconds) {
    return users * (8 + (long) seconds);
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
    JsonNode summary =
        runUntilRest(
            2,
            10,
            client -> {
              client.send(answer.replace("\\n", "\r\n") + (answer.equals("garbage") ? "\n" : ""));
              client.close();
            });

    assertThat(errors(summary)).containsOnly(Map.entry(kind, 10L));
    assertThat(summary.get("errors").asInt()).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 404, 500})
  @Execution(ExecutionMode.CONCURRENT)
  void otherStatusesThan2xxAreErrors(int status) throws Exception {
    String answer = "HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n".formatted(status);
    JsonNode summary = runUntilRest(2, 200, client -> client.send(answer));

    assertThat(errors(summary)).containsOnly(Map.entry("status " + status, 200L));
    assertThat(200L)
        .as("more than pauses between them would allow")
        .isGreaterThan(mostFailures(2, seconds(summary)));
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aResetIsNotTheSameAsAClose() throws Exception {
    assertThat(errors(runUntilRest(2, 10, ScriptedServer.Client::reset)))
        .containsOnly(Map.entry("connection reset", 10L));
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
    JsonNode summary =
        runUntilRest(
            2,
            20,
            client -> {
              client.send(answer);
              client.close();
            });

    assertThat(errors(summary)).isEmpty();
  }

  /**
   * The user thinks for as long as it takes until the connection is seen to be closed: after a
   * think time of milliseconds it might ask again before a busy server closes it.
   */
  @Test
  void aConnectionThatClosesWhileItsUserThinksIsNoError() throws Exception {
    List<String> ends = new ArrayList<>();
    Request request = Loads.of(load(1, 600, 300_000)).requests().get(0);
    try (ScriptedServer server =
            new ScriptedServer(
                client -> {
                  client.send(FixedAnswerServer.HELLO);
                  client.close();
                });
        Wire wire =
            new Wire(
                Target.parse(server.url(), false),
                List.of(request),
                exchange -> ends.add(exchange.status() + " " + exchange.failure()))) {
      Connection user = new Connection(wire, 0, (answered, now) -> {});
      for (int i = 1; i <= 3; i++) {
        user.send(request, System.nanoTime(), System.nanoTime());
        while (ends.size() < i) {
          wire.select(1000);
        }
        assertThat(ends).last().isEqualTo("200 null");
        while (wire.selectNow() == 0) {
          Thread.sleep(1);
        }
      }

      assertThat(server.accepted()).isEqualTo(3);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void answersMayComeByteByByteAndInChunks() throws Exception {
    String answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    JsonNode summary =
        runUntilRest(
            2,
            20,
            client -> {
              for (int i = 0; i < answer.length(); i++) {
                client.send(answer.substring(i, i + 1));
              }
            });

    assertThat(errors(summary)).isEmpty();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void methodsAreSentAndHeadHasNoBody() throws Exception {
    Map<String, Integer> requests = new ConcurrentHashMap<>();
    JsonNode summary =
        runUntilRest(
            2,
            // Of twenty requests that a user chooses by the seed some are of either kind.
            40,
            """
            clients:
              kind: closed
              phases: [{users: 2, for: 600s}]
              think_time: 1ms
              requests: {h: 0.5, p: 0.5}
            timeout: 300s
            http:
              h: {method: HEAD, path: /h}
              p: {method: POST, path: "/p?q=1"}
            """,
            client -> {
              requests.merge(client.request(), 1, Integer::sum);
              boolean head = client.request().startsWith("HEAD");
              client.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + (head ? "" : "ab"));
            });

    assertThat(errors(summary)).isEmpty();
    assertThat(requests).containsOnlyKeys("HEAD /h HTTP/1.1", "POST /p?q=1 HTTP/1.1");
  }
}
