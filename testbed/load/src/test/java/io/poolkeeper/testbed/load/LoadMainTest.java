package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.clients.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class LoadMainTest {

  private static final Path CONTRACT = Path.of("../../contract");

  private static String load(int users, double seconds) {
    return """
        clients: {kind: closed, users: %d}
        for: %ss
        timeout: 300s
        http: {a: /a}
        """
        .formatted(users, seconds);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void allFilesAgreeOnTheNumberOfRequests(int threads, @TempDir Path folder) throws Exception {
    int requests = 2000;
    AtomicInteger turn = new AtomicInteger();
    LimitedAnswers answers =
        new LimitedAnswers(
            requests,
            11,
            client -> {
              boolean good = turn.incrementAndGet() % 4 != 0;
              client.send(
                  good ? FixedAnswerServer.HELLO : "HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n");
            });
    try (ScriptedServer server = new ScriptedServer(answers)) {
      LoadCommand command =
          LoadCommand.runUntil(
              () -> {
                answers.awaitRest();
                LoadCommand.awaitRows(folder, rows -> rows.size() >= 2);
              },
              """
              clients:
                kind: closed
                think_time: 5ms
                phases: [{users: 5, for: 1.2s}, {users: 11, for: 600s}]
                requests: {a: 0.5, b: 0.5}
              timeout: 300s
              http: {a: /a, b: /b}
              """,
              "--target",
              server.url(),
              "--record",
              folder.toString(),
              "--jtl",
              "--progress",
              "--threads",
              "" + threads);

      assertThat(command.code()).as(command.err()).isZero();
      assertThat(server.requests()).isEqualTo(requests + 11);
      JsonNode summary = LoadCommand.summary(folder);
      assertThat(summary.get("requests").asLong()).isEqualTo(requests);
      assertThat(summary.get("errors").asLong()).isEqualTo(requests / 4);
      assertThat(summary.get("errors_by_kind").get("status 503").asLong()).isEqualTo(requests / 4);
      assertThat(summary.get("unfinished").asLong()).isEqualTo(11);

      List<Map<String, String>> rows = LoadCommand.rows(folder.resolve("load.csv"));
      assertThat(LoadCommand.sum(rows, "requests")).isEqualTo(requests);
      assertThat(LoadCommand.sum(rows, "errors")).isEqualTo(requests / 4);
      assertThat(rows).hasSize(LoadCommand.intervals(601.2, summary));
      assertThat(rows.subList(0, 3))
          .extracting(row -> row.get("phase") + ": " + row.get("users"))
          .containsExactly("0: 5", "1: 11", "1: 11");

      Map<String, Histogram> histograms = LoadCommand.histograms(folder);
      assertThat(histograms).containsOnlyKeys("a", "b");
      long successes = histograms.values().stream().mapToLong(Histogram::getTotalCount).sum();
      assertThat(successes).isEqualTo(requests - requests / 4);

      List<Map<String, String>> samples = LoadCommand.rows(folder.resolve("samples.jtl"));
      assertThat(samples).hasSize(requests);
      assertThat(samples)
          .filteredOn(row -> "true".equals(row.get("success")))
          .hasSize((int) successes);
      assertThat(samples)
          .filteredOn(row -> "503".equals(row.get("responseCode")))
          .hasSize(requests / 4);
      assertThat(samples)
          .filteredOn(row -> "a".equals(row.get("label")) && "true".equals(row.get("success")))
          .hasSize((int) histograms.getOrDefault("a", new Histogram(3)).getTotalCount());

      List<JsonNode> events = LoadCommand.json(command.out());
      assertThat(events.get(0).get("event").asText()).isEqualTo("begins");
      assertThat(rows.get(0)).containsEntry("start_ns", events.get(0).get("start_ns").asText());
      List<JsonNode> lines = events.subList(1, events.size());
      assertThat(lines).hasSameSizeAs(rows);
      assertThat(lines.get(0).get("t").asDouble()).isEqualTo(1);
      assertThat(lines.stream().mapToLong(line -> line.get("errors").asLong()).sum())
          .isEqualTo(requests / 4);
    }
  }

  @Test
  void aPersonIsToldHowEachPhaseWent() throws Exception {
    RealLength.repeat(
        factor -> {
          try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
            LoadCommand command =
                LoadCommand.run(
                    """
                    clients:
                      kind: closed
                      think_time: 5ms
                      phases: [{users: 1 to 4, for: %ss}, {users: 1, for: 0.3s}]
                    http: {a: /a}
                    """
                        .formatted(1.2 * factor),
                    "--target",
                    server.url());
            if (command.out().lines().findFirst().orElse("").endsWith(": 0/s")) {
              return false; // nobody was answered in the first phase
            }

            // On a busy machine answers wait for the load generator, which says so.
            assertThat(command.err().lines()).allMatch(line -> line.contains("answers lay unread"));
            assertThat(command.out().lines().toList())
                .satisfiesExactly(
                    line ->
                        assertThat(line)
                            .matches("phase 1, 1 to 4 users: \\d+/s, mean .* 99 % .* ms"),
                    line -> assertThat(line).startsWith("phase 2, 1 user: "),
                    line ->
                        assertThat(line)
                            .matches(server.answered() + " requests in \\d+\\.\\d s: .*"),
                    line -> assertThat(line).startsWith("response time: mean "),
                    line -> assertThat(line).startsWith("CPU used: "));
            return true;
          }
        });
  }

  @Test
  void phasesWithRequestsOfTheirOwnAreCalledByThemAndRecordedByName(@TempDir Path folder)
      throws Exception {
    RealLength.repeat(
        factor -> {
          Path record = folder.resolve("record" + factor);
          Set<String> requests = ConcurrentHashMap.newKeySet();
          try (ScriptedServer server =
              new ScriptedServer(
                  client -> {
                    requests.add(client.request());
                    client.send(FixedAnswerServer.HELLO);
                  })) {
            LoadCommand command =
                LoadCommand.run(
                    """
                    clients:
                      kind: closed
                      think_time: 5ms
                      phases:
                        - {users: 2, requests: {a: 1}, for: %ss}
                        - {users: 2, requests: {b: 0.5, c: 0.5}, for: %ss}
                    http: {a: /a, b: /b, c: /c}
                    """
                        .formatted(factor, 0.5 * factor),
                    "--target",
                    server.url(),
                    "--record",
                    record.toString());
            if (requests.size() < 3) {
              return false;
            }

            assertThat(command.out().lines().limit(2))
                .satisfiesExactly(
                    line -> assertThat(line).startsWith("phase 1, 2 users, a: "),
                    line -> assertThat(line).matches("phase 2, 2 users, (b \\+ c|c \\+ b): .*"));
            assertThat(Files.readString(record.resolve("latency.hlog")))
                .contains("Tag=a,", "Tag=b,", "Tag=c,");
            return true;
          }
        });
  }

  @Test
  void filesHaveTheFormOfTheContract(@TempDir Path folder) throws Exception {
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO, 100, 2)) {
      // All answers are in the rows before the last, which has no response times.
      LoadCommand.runUntil(
          () -> {
            server.awaitRest();
            LoadCommand.awaitRecorded(folder, 100);
          },
          load(2, 600),
          "--target",
          server.url(),
          "--record",
          folder.toString(),
          "--jtl");
    }

    ObjectMapper json = new ObjectMapper();
    List<String> columns = new ArrayList<>();
    json.readTree(CONTRACT.resolve("load.columns.json").toFile())
        .get("columns")
        .forEach(column -> columns.add(column.get("name").asText()));
    List<String> table = Files.readAllLines(folder.resolve("load.csv"));
    assertThat(table.get(0)).isEqualTo(String.join(",", columns));
    List<Map<String, String>> rows = LoadCommand.rows(folder.resolve("load.csv"));
    assertThat(rows)
        .allSatisfy(
            row ->
                assertThat("".equals(row.get("p99_ns"))).isEqualTo("0".equals(row.get("requests"))))
        .anySatisfy(row -> assertThat(row.get("p99_ns")).isNotEmpty())
        .last()
        .satisfies(row -> assertThat(row.get("p99_ns")).isEmpty());
    for (int i = 1; i < rows.size(); i++) {
      assertThat(rows.get(i)).containsEntry("start_ns", rows.get(i - 1).get("end_ns"));
    }

    JsonNode schema = json.readTree(CONTRACT.resolve("load.schema.json").toFile());
    JsonNode summary = LoadCommand.summary(folder);
    schema.get("required").forEach(name -> assertThat(summary.has(name.asText())).isTrue());
    summary
        .fieldNames()
        .forEachRemaining(name -> assertThat(schema.get("properties").has(name)).as(name).isTrue());
    assertThat(rows.get(0)).containsEntry("start_ns", summary.get("start_ns").asText());
    assertThat(rows.get(rows.size() - 1)).containsEntry("end_ns", summary.get("end_ns").asText());
    assertThat(Files.readAllLines(folder.resolve("samples.jtl")).get(0))
        .isEqualTo(
            "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
                + "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect");
  }

  @Test
  void twoThousandConnectionsOnOneThreadLoseNothing(@TempDir Path folder) throws Exception {
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO, 6000, 2000)) {
      LoadCommand command =
          LoadCommand.runUntil(
              server::awaitRest,
              load(2000, 600).replace("kind: closed", "kind: closed, think_time: 500ms"),
              "--target",
              server.url(),
              "--record",
              folder.toString());

      assertThat(command.code()).as(command.err()).isZero();
      JsonNode summary = LoadCommand.summary(folder);
      assertThat(summary.get("errors").asLong()).as("%s", summary).isZero();
      assertThat(summary.get("requests").asLong()).isEqualTo(6000);
      assertThat(summary.get("unfinished").asLong()).isEqualTo(2000);
      // One more is the check that the target is there.
      assertThat(server.accepted()).isEqualTo(2001);
    }
  }

  @Test
  void responseTimesAreThoseOfTheServer(@TempDir Path folder) throws Exception {
    List<Long> services = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch waiting = new CountDownLatch(3);
    CountDownLatch never = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              if (client.requests() > 2) {
                waiting.countDown();
                never.await();
              }
              long begin = System.nanoTime();
              Thread.sleep(300);
              services.add(System.nanoTime() - begin);
              client.send(FixedAnswerServer.HELLO);
            })) {
      LoadCommand.runUntil(
          waiting::await,
          load(3, 600),
          "--target",
          server.url(),
          "--record",
          folder.toString(),
          "--jtl");
    }

    Collections.sort(services);
    assertThat(services).hasSize(6);
    JsonNode summary = LoadCommand.summary(folder);
    assertThat(summary.get("response").get("p50_ns").asLong())
        .isBetween(
            services.get(2), summary.get("end_ns").asLong() - summary.get("start_ns").asLong());
    List<Map<String, String>> samples = LoadCommand.rows(folder.resolve("samples.jtl"));
    for (String column : List.of("elapsed", "Latency")) {
      List<Long> times = LoadCommand.sorted(samples, column);
      assertThat(times).hasSize(6);
      // Each is at least as long as that of its request, and so the n-th is as the n-th.
      for (int i = 0; i < 6; i++) {
        assertThat(times.get(i))
            .as(column)
            .isGreaterThanOrEqualTo(TimeUnit.NANOSECONDS.toMillis(services.get(i)));
      }
    }
    assertThat(samples)
        .allSatisfy(
            row ->
                assertThat(row)
                    .containsEntry("bytes", "" + FixedAnswerServer.HELLO.length())
                    .containsEntry("responseMessage", "OK")
                    .containsEntry("allThreads", "3"))
        .anySatisfy(row -> assertThat(row).containsEntry("threadName", "closed 1-3"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"load.csv", "latency.hlog", "samples.jtl"})
  void aFullDiskCostsAWarningTheLastLineAndTheExitCode(String name, @TempDir Path folder)
      throws Exception {
    Files.createSymbolicLink(folder.resolve(name), Path.of("/dev/full"));
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO, 100, 2)) {
      LoadCommand command =
          LoadCommand.runUntil(
              server::awaitRest,
              load(2, 600),
              "--target",
              server.url(),
              "--record",
              folder.toString(),
              "--jtl");

      assertThat(command.code()).isEqualTo(3);
      assertThat(command.err().lines().filter(line -> line.contains("record")))
          .as("told at once, and as the last line")
          .hasSize(2)
          .allSatisfy(line -> assertThat(line).contains(name, "No space left on device"));
      assertThat(command.err().lines())
          .last()
          .asString()
          .startsWith("poolkeeper: record: ")
          .endsWith("No space left on device");
      assertThat(LoadCommand.summary(folder).get("requests").asLong()).isEqualTo(100);
    }
    // Otherwise the temporary folder warns of links that lead out of it.
    Files.delete(folder.resolve(name));
  }

  @Test
  void anEarlierRecordIsNotOverwritten(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("load.csv"), "precious");
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      LoadCommand command =
          LoadCommand.run(load(1, 1), "--target", server.url(), "--record", folder.toString());

      assertThat(command.code()).isEqualTo(2);
      assertThat(command.err()).contains("already holds load.csv");
      assertThat(folder.resolve("load.csv")).hasContent("precious");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://127.0.0.1:1 | is not a URL like http://127.0.0.1:8080",
        "127.0.0.1:8080 | is not a URL like http://127.0.0.1:8080",
        "http://127.0.0.1:99999 | must have a port within 1..65535",
        "http://127.0.0.1: | must have a port within 1..65535",
        "http://127.0.0.1:1/path | must end after the port",
        "http://u@127.0.0.1:1 | must not name a user",
        "http://192.0.2.1:80 | --allow-remote",
        "http://0.0.0.0:80 | --allow-remote",
        "http://no-such-host.invalid | has an unknown host",
        "http://127.0.0.1:1 | cannot be reached: Connection refused"
      })
  void aBadTargetIsOneLine(String targetAndMessage) {
    String[] parts = targetAndMessage.split(" \\| ", -1);
    badInput(parts[1], load(1, 1), "--target", parts[0]);
  }

  @Test
  void badOptionsAreOneLine(@TempDir Path folder) throws IOException {
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      String url = server.url();
      badInput("--target", load(1, 1));
      badInput("--jtl needs --record", load(1, 1), "--target", url, "--jtl");
      badInput("--warm-up needs a FILE", load(1, 1), "--target", url, "--warm-up");
      badInput("within 1..64, but is 0", load(1, 1), "--target", url, "--threads", "0");
      badInput("'many'", load(1, 1), "--target", url, "--threads", "many");
      badInput("did you mean '--target'?", load(1, 1), "--taget", url);
      badInput("did you mean '--record'?", load(1, 1), "--target", url, "--recrod", "x");
      badInput("not a file that can be read", "", "--target", url, folder + "/none.json");
      badInput("clients.users must be a whole number", load(0, 1), "--target", url);
      badInput("raise ulimit -n", load(250_000, 1), "--target", url);
      Path file = Files.writeString(folder.resolve("file"), "");
      badInput("cannot be made", load(1, 1), "--target", url, "--record", file + "/x");
    }
  }

  private static void badInput(String message, String description, String... args) {
    LoadCommand command = LoadCommand.run(description, args);

    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains(message).startsWith("poolkeeper: ").hasLineCount(1);
    assertThat(command.out()).isEmpty();
  }

  @Test
  void helpTeachesWithAnExample() {
    LoadCommand command = LoadCommand.run("", "--help");

    assertThat(command.code()).isZero();
    assertThat(command.out()).contains("Example:", "load --target http://127.0.0.1:8080");
    String example =
        command
            .out()
            .substring(command.out().indexOf("  clients:"), command.out().indexOf("  END\n"));
    assertThat(Loads.of(example.indent(-2)).clients().phases())
        .containsExactly(new Phase(15, 0, 200), new Phase(5, 800));
  }
}
