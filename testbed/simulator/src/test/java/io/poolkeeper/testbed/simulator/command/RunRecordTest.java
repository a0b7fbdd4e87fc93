package io.poolkeeper.testbed.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record of a simulated run is one that readers of real runs understand. */
final class RunRecordTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final RunRecord.Command COMMAND =
      new RunRecord.Command("small", Optional.empty(), List.of("poolkeeper", "simulate"));

  @TempDir private Path folder = Path.of("");

  private Path place() {
    return folder.resolve("small").resolve("0");
  }

  private Result record(String model) throws BadInput, IOException {
    ModelFile file = Examples.read(folder, "small", model);
    return new Player(file, 0, at -> true).record(place(), COMMAND).orElseThrow();
  }

  private List<List<String>> rows(String name) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    for (String line : Files.readAllLines(place().resolve(name))) {
      rows.add(List.of(line.split(",", -1)));
    }
    return rows;
  }

  @Test
  void loadFilesAgreeWithTheResultAndTheContract() throws BadInput, IOException {
    Result result = record(Examples.SMALL);

    List<List<String>> rows = rows("load.csv");
    JsonNode columns = JSON.readTree(Path.of("../../contract/load.columns.json").toFile());
    List<String> names = new ArrayList<>();
    columns.get("columns").forEach(column -> names.add(column.get("name").asText()));
    assertThat(rows.get(0)).isEqualTo(names);
    assertThat(rows.get(1)).startsWith("10000000000", "11000000000", "0", "10");
    assertThat(rows).hasSize(51);
    long requests = rows.stream().skip(1).mapToLong(row -> Long.parseLong(row.get(4))).sum();
    long errors = rows.stream().skip(1).mapToLong(row -> Long.parseLong(row.get(5))).sum();
    assertThat(requests - errors).isEqualTo(result.request().completions());
    assertThat(errors).isEqualTo(result.request().failures()).isPositive();

    JsonNode summary = JSON.readTree(place().resolve("load.json").toFile());
    assertThat(summary.get("requests").asLong()).isEqualTo(requests);
    assertThat(summary.at("/response/mean_ns").asDouble() / 1e9)
        .isCloseTo(
            result.request().responseTime().mean().value(),
            org.assertj.core.data.Percentage.withPercentage(0.1));
    assertThat(answered()).isEqualTo(requests - errors);
  }

  private long answered() throws IOException {
    long count = 0;
    try (HistogramLogReader log =
        new HistogramLogReader(place().resolve("latency.hlog").toFile())) {
      while (log.hasNext()) {
        EncodableHistogram next = log.nextIntervalHistogram();
        assertThat(next.getTag()).isEqualTo("request");
        count += ((Histogram) next).getTotalCount();
      }
    }
    return count;
  }

  @Test
  void runJsonSaysThatItIsASimulationAndHowPoolsWereSized() throws BadInput, IOException {
    record(Examples.SMALL);

    JsonNode run = JSON.readTree(place().resolve("run.json").toFile());
    assertThat(run.get("kind").asText()).isEqualTo("simulation");
    assertThat(run.get("status").asText()).isEqualTo("complete");
    assertThat(run.get("start_monotonic_ns").asLong()).isEqualTo(10_000_000_000L);
    assertThat(run.get("end_monotonic_ns").asLong()).isEqualTo(60_000_000_000L);
    assertThat(run.at("/configuration/pool/size").asInt()).isEqualTo(2);
    assertThat(run.at("/configuration/load/phases/0/users").asInt()).isEqualTo(10);
    assertThat(run.at("/configuration/load/phases/0/seconds").asDouble()).isEqualTo(50);
    assertThat(run.at("/pools/server/controller").asText()).isEqualTo("fixed");
    assertThat(run.at("/configuration/model/tiers/server/workers/queue").asInt()).isEqualTo(5);
  }

  @Test
  void aRampIsRecordedWithBothEndsAsFarAsItCounts() throws BadInput, IOException {
    String phases = "phases: [{users: 0 to 10, for: 20s}, {users: 10, for: 20s}]";
    record(Examples.SMALL.replace("users: 10", phases).replace("for: 60s, ", ""));

    JsonNode run = JSON.readTree(place().resolve("run.json").toFile());
    assertThat(run.at("/configuration/load/phases").toString())
        .isEqualTo("[{\"users\":5,\"to\":10,\"seconds\":10.0},{\"users\":10,\"seconds\":20.0}]");
    List<List<String>> rows = rows("load.csv");
    assertThat(rows.get(1)).startsWith("10000000000", "11000000000", "0", "5");
    assertThat(rows.get(10)).startsWith("19000000000", "20000000000", "0", "10");
    assertThat(rows.get(11)).startsWith("20000000000", "21000000000", "1", "10");
  }

  @Test
  void phasesAreRecordedWithTheirRequests() throws BadInput, IOException {
    String phases =
        "phases: [{users: 9, requests: {a: 1}, for: 20s},"
            + " {users: 9, requests: {a: 0.5, b: 0.5}, for: 20s}]";
    record(Examples.SMALL.replace("users: 10", phases).replace("for: 60s, ", ""));
    JsonNode run = JSON.readTree(place().resolve("run.json").toFile());
    assertThat(run.at("/configuration/load/phases").toString())
        .isEqualTo(
            "[{\"users\":9,\"seconds\":10.0,\"requests\":{\"a\":1.0}},"
                + "{\"users\":9,\"seconds\":20.0,\"requests\":{\"a\":0.5,\"b\":0.5}}]");
  }

  @Test
  void aControllersDecisionsAreRecordedAndTheSameEachTime() throws BadInput, IOException {
    String model = Examples.SMALL.replace("size: 2", "controller: throughput, window: 2s");
    record(model);
    String decisions = Files.readString(place().resolve("decisions.jsonl"));
    String windows = Files.readString(place().resolve("windows.csv"));
    Files.move(folder.resolve("small"), folder.resolve("first"));
    record(model);

    assertThat(decisions.lines()).hasSize(30).allMatch(line -> line.contains("\"at_ns\""));
    assertThat(place().resolve("decisions.jsonl")).hasContent(decisions);
    assertThat(place().resolve("windows.csv")).hasContent(windows);
    assertThat(rows("windows.csv").get(1)).startsWith("server", "0", "2000000000", "1");
  }

  @Test
  void eachReplicaHasAPoolOfItsOwn() throws BadInput, IOException {
    record(Examples.SMALL.replace("workers: {size: 2", "replicas: 2\n    workers: {size: 2"));

    JsonNode run = JSON.readTree(place().resolve("run.json").toFile());
    assertThat(run.get("pools").fieldNames()).toIterable().containsExactly("server-1", "server-2");
    assertThat(rows("windows.csv").stream().skip(1).map(row -> row.get(0)).distinct())
        .containsExactly("server-1", "server-2");
  }

  @Test
  void aPolicySizesThePoolAtTheEventsOfItsTasks() throws BadInput, IOException {
    Result result = record(Examples.SMALL.replace("size: 2", "controller: fbos"));

    assertThat(result.pool("server").size()).isGreaterThan(1);
    assertThat(rows("windows.csv").stream().skip(1).map(row -> row.get(3)).distinct())
        .hasSizeGreaterThan(1);
    JsonNode run = JSON.readTree(place().resolve("run.json").toFile());
    assertThat(run.at("/configuration/pool/controller").asText()).isEqualTo("fbos");
    assertThat(run.get("pools")).isEmpty();
  }

  @Test
  void thePoolsComeInTheOrderOfTheModel() throws BadInput, IOException {
    record(
        """
        question: Which pool comes first?
        clients: {kind: closed, users: 5, think_time: 10ms}
        tiers:
          web:
            workers: {controller: fbos}
            work: [{call: store}]
          store:
            workers: {controller: throughput, window: 1s}
            work: [{wait: 10ms}]
        run: {for: 10s, replications: 2}
        """);

    assertThat(rows("windows.csv").stream().skip(1).map(row -> row.get(0)).distinct())
        .containsExactly("web", "store");
  }

  @Test
  void everySizeThatAPolicySetIsADecisionWithItsReason() throws BadInput, IOException {
    record(Examples.SMALL.replace("size: 2", "controller: fbos"));

    JsonNode schema = JSON.readTree(Path.of("../../contract/decision.schema.json").toFile());
    List<String> required = new ArrayList<>();
    schema.get("required").forEach(name -> required.add(name.asText()));
    NavigableMap<Long, Integer> sizes = new TreeMap<>(Map.of(0L, 2));
    for (String line : Files.readAllLines(place().resolve("decisions.jsonl"))) {
      JsonNode decision = JSON.readTree(line);
      assertThat(decision.fieldNames()).toIterable().containsAll(required);
      assertThat(decision.get("controller").asText()).isEqualTo("fbos");
      assertThat(decision.get("action").asText()).isEqualTo("resized");
      assertThat(decision.get("reason").asText()).isNotEmpty();
      int before = decision.get("size_before").asInt();
      assertThat(before).isEqualTo(sizes.lastEntry().getValue());
      assertThat(decision.get("size_after").asInt()).isNotEqualTo(before);
      sizes.put(decision.get("at_ns").asLong(), decision.get("size_after").asInt());
    }
    assertThat(sizes).hasSizeGreaterThan(2);
    assertThat(rows("windows.csv").stream().skip(1))
        .allSatisfy(
            row ->
                assertThat(sizes.floorEntry(Long.parseLong(row.get(2))))
                    .extracting(Map.Entry::getValue)
                    .isEqualTo(Integer.parseInt(row.get(3))));
  }

  @Test
  void aReplicationThatWasStoppedIsKeptButDoesNotCount() throws BadInput, IOException {
    ModelFile file = Examples.read(folder, "small", Examples.SMALL);
    Optional<Result> result = new Player(file, 0, at -> at < 30).record(place(), COMMAND);

    assertThat(result).isEmpty();
    JsonNode run = JSON.readTree(place().resolve("run.json").toFile());
    assertThat(run.get("status").asText()).isEqualTo("interrupted");
    assertThat(run.get("end_monotonic_ns").asDouble() / 1e9).isBetween(30.0, 30.2);
    assertThat(rows("load.csv")).hasSizeBetween(21, 22);
  }

  @Test
  void ofBatchesThoseThatEndedCount() throws BadInput, IOException {
    ModelFile file =
        Examples.read(folder, "small", Examples.SMALL.replace("replications: 3", "batches: 10"));
    Result result = new Player(file, 0, at -> at < 32).play().orElseThrow();

    assertThat(result.seconds()).isEqualTo(20); // Four of ten, of 5 s each.
    assertThat(result.request().throughput().samples()).isEqualTo(4);
    assertThat(new Player(file, 0, at -> at < 5).play()).isEmpty();
  }
}
