package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.clients.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadMainTest {

  private static final Path CONTRACT = Path.of("../../contract");

  private static String load(int users, double seconds) {
    return """
        clients: {kind: closed, users: %d}
        for: %ss
        http: {a: /a}
        """
        .formatted(users, seconds);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void allFilesAgreeOnTheNumberOfRequests(int threads, @TempDir Path folder) throws Exception {
    AtomicInteger turn = new AtomicInteger();
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              boolean good = turn.incrementAndGet() % 4 != 0;
              client.send(
                  good ? FixedAnswerServer.HELLO : "HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n");
            })) {
      LoadCommand command =
          LoadCommand.run(
              """
              clients:
                kind: closed
                think_time: 5ms
                phases: [{users: 5, for: 1.2s}, {users: 11, for: 1.1s}]
                requests: {a: 0.5, b: 0.5}
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
      long requests = server.requests();
      JsonNode summary = LoadCommand.summary(folder);
      assertThat(summary.get("requests").asLong()).isEqualTo(requests).isGreaterThan(50);
      assertThat(summary.get("errors").asLong()).isEqualTo(requests / 4);
      assertThat(summary.get("errors_by_kind").get("status 503").asLong()).isEqualTo(requests / 4);
      assertThat(summary.get("unfinished").asLong()).isZero();

      List<Map<String, String>> rows = LoadCommand.rows(folder.resolve("load.csv"));
      assertThat(LoadCommand.sum(rows, "requests")).isEqualTo(requests);
      assertThat(LoadCommand.sum(rows, "errors")).isEqualTo(requests / 4);
      assertThat(rows).hasSize(LoadCommand.intervals(2.3, summary));
      assertThat(rows.subList(0, 3))
          .extracting(row -> row.get("phase") + ": " + row.get("users"))
          .containsExactly("0: 5", "1: 11", "1: 11");

      Map<String, Histogram> histograms = LoadCommand.histograms(folder);
      assertThat(histograms).containsOnlyKeys("a", "b");
      long successes = histograms.values().stream().mapToLong(Histogram::getTotalCount).sum();
      assertThat(successes).isEqualTo(requests - requests / 4);

      List<Map<String, String>> samples = LoadCommand.rows(folder.resolve("samples.jtl"));
      assertThat(samples).hasSize((int) requests);
      assertThat(samples)
          .filteredOn(row -> "true".equals(row.get("success")))
          .hasSize((int) successes);
      assertThat(samples)
          .filteredOn(row -> "503".equals(row.get("responseCode")))
          .hasSize((int) (requests / 4));
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
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      LoadCommand command =
          LoadCommand.run(
              """
              clients:
                kind: closed
                think_time: 5ms
                phases: [{users: 1 to 4, for: 1.2s}, {users: 1, for: 1s}]
              http: {a: /a}
              """,
              "--target",
              server.url());

      // On a busy machine answers wait for the load generator, which says so.
      assertThat(command.err().lines()).allMatch(line -> line.contains("answers lay unread"));
      assertThat(command.out().lines().toList())
          .satisfiesExactly(
              line -> assertThat(line).matches("phase 1, 1 to 4 users: \\d+/s, mean .* 99 % .* ms"),
              line -> assertThat(line).startsWith("phase 2, 1 user: "),
              line -> assertThat(line).matches(server.answered() + " requests in \\d+\\.\\d s: .*"),
              line -> assertThat(line).startsWith("response time: mean "),
              line -> assertThat(line).startsWith("CPU used: "));
    }
  }

  @Test
  void phasesWithRequestsOfTheirOwnAreCalledByThemAndRecordedByName(@TempDir Path folder)
      throws Exception {
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      LoadCommand command =
          LoadCommand.run(
              """
              clients:
                kind: closed
                think_time: 5ms
                phases:
                  - {users: 2, requests: {a: 1}, for: 1s}
                  - {users: 2, requests: {b: 0.5, c: 0.5}, for: 1s}
              http: {a: /a, b: /b, c: /c}
              """,
              "--target",
              server.url(),
              "--record",
              folder.toString());

      assertThat(command.out().lines().limit(2))
          .satisfiesExactly(
              line -> assertThat(line).startsWith("phase 1, 2 users, a: "),
              line -> assertThat(line).matches("phase 2, 2 users, (b \\+ c|c \\+ b): .*"));
      assertThat(Files.readString(folder.resolve("latency.hlog")))
          .contains("Tag=a,", "Tag=b,", "Tag=c,");
    }
  }

  @Test
  void filesHaveTheFormOfTheContract(@TempDir Path folder) throws Exception {
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      // Nobody sends in the second phase, so that its interval has no response times.
      LoadCommand.run(
          """
          clients: {kind: closed, phases: [{users: 2, for: 1.5s}, {users: 0, for: 2.5s}]}
          http: {a: /a}
          """,
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
    assertThat(rows).hasSize(4);
    assertThat(rows)
        .allSatisfy(
            row ->
                assertThat("".equals(row.get("p99_ns")))
                    .isEqualTo("0".equals(row.get("requests"))));
    assertThat(rows.get(0).get("p99_ns")).isNotEmpty();
    assertThat(rows.get(3).get("p99_ns")).isEmpty();
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
    assertThat(rows.get(3)).containsEntry("end_ns", summary.get("end_ns").asText());
    assertThat(Files.readAllLines(folder.resolve("samples.jtl")).get(0))
        .isEqualTo(
            "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
                + "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect");
  }

  @Test
  void twoThousandConnectionsOnOneThreadLoseNothing(@TempDir Path folder) throws Exception {
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      LoadCommand command =
          LoadCommand.run(
              load(2000, 8).replace("kind: closed", "kind: closed, think_time: 500ms"),
              "--target",
              server.url(),
              "--record",
              folder.toString());

      assertThat(command.code()).as(command.err()).isZero();
      JsonNode summary = LoadCommand.summary(folder);
      assertThat(summary.get("errors").asLong()).as("%s", summary).isZero();
      assertThat(summary.get("requests").asLong()).isEqualTo(server.answered());
      // One more is the check that the target is there.
      assertThat(server.accepted()).isEqualTo(2001);
      assertThat(server.answered()).isGreaterThanOrEqualTo(2000);
    }
  }

  @Test
  void responseTimesAreThoseOfTheServer(@TempDir Path folder) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              Thread.sleep(500);
              client.send(FixedAnswerServer.HELLO);
            })) {
      LoadCommand.run(load(3, 2), "--target", server.url(), "--record", folder.toString(), "--jtl");
    }

    JsonNode response = LoadCommand.summary(folder).get("response");
    assertThat(response.get("p50_ns").asLong()).isBetween(500_000_000L, 1_000_000_000L);
    assertThat(LoadCommand.rows(folder.resolve("samples.jtl")))
        .allSatisfy(
            row -> {
              assertThat(Long.parseLong(row.get("elapsed"))).isGreaterThanOrEqualTo(500);
              assertThat(Long.parseLong(row.get("Latency"))).isGreaterThanOrEqualTo(500);
              assertThat(row)
                  .containsEntry("bytes", "" + FixedAnswerServer.HELLO.length())
                  .containsEntry("responseMessage", "OK")
                  .containsEntry("allThreads", "3");
            })
        .anySatisfy(row -> assertThat(row).containsEntry("threadName", "closed 1-3"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"load.csv", "latency.hlog", "samples.jtl"})
  void aFullDiskCostsAWarningTheLastLineAndTheExitCode(String name, @TempDir Path folder)
      throws Exception {
    Files.createSymbolicLink(folder.resolve(name), Path.of("/dev/full"));
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      LoadCommand command =
          LoadCommand.run(
              load(2, 1.5), "--target", server.url(), "--record", folder.toString(), "--jtl");

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
      assertThat(LoadCommand.summary(folder).get("requests").asLong())
          .isEqualTo(server.answered())
          .isPositive();
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
