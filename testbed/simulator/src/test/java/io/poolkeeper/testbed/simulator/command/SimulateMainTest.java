package io.poolkeeper.testbed.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SimulateMainTest {

  @TempDir private Path folder = Path.of("");
  private Path model = Path.of("");
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void write() throws IOException {
    model = Files.writeString(folder.resolve("small.yaml"), Examples.SMALL);
  }

  private int simulate(String... arguments) {
    out.reset();
    err.reset();
    return SimulateMain.execute(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        arguments);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private void refused(String message) {
    assertThat(printed()).isEmpty();
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("poolkeeper: ")
        .contains(message)
        .hasLineCount(1);
  }

  @Test
  void printsTablesWithIntervalsAndSaysWhatTheyRestOn() {
    assertThat(simulate("--no-record", model.toString())).isZero();

    assertThat(printed())
        .startsWith(
            "How long?\nsmall · 3 replications of 50 virtual s after 10 s of warm-up, seed 1")
        .contains("intervals of 95 % by Student's t")
        .containsPattern("users +request +\\d+\\.\\d+ ± \\d")
        .containsPattern("server +2 +0\\.\\d+ ± 0\\.\\d+ ")
        .doesNotContain("warning");
  }

  @Test
  void oneReplicationHasPercentilesButNoIntervals() throws IOException {
    Files.writeString(model, Examples.SMALL.replace("replications: 3", "replications: 1"));
    assertThat(simulate("--no-record", model.toString())).isZero();

    assertThat(printed())
        .contains("small · 1 replication of 50 virtual s after 10 s of warm-up, seed 1")
        .contains("no intervals, which need 2 replications or more")
        .doesNotContain("Student")
        .containsPattern("users +request( +\\d+\\.?\\d*){6}\n");
  }

  @Test
  void aPossibleDeadlockAndRequestsWithoutAnswerAreToldBesideTheFigures() throws IOException {
    Files.writeString(
        model,
        """
        question: Who waits for whom?
        clients: {kind: open, rate: 80/s, requests: {x: 0.5, y: 0.5}}
        tiers:
          s:
            pools: {a: 1, b: 1}
            work_for:
              x: [{hold: a, work: [{wait: 2ms}, {hold: b, work: [{wait: 2ms}]}]}]
              y: [{hold: b, work: [{wait: 2ms}, {hold: a, work: [{wait: 2ms}]}]}]
        run: {for: 90s, warm_up: 60s, replications: 2}
        """);
    assertThat(simulate("--no-record", model.toString())).isZero();

    assertThat(printed())
        .contains("warning: requests can wait for each other for ever (deadlock)")
        .contains("s.a -> s.b -> s.a")
        .contains("warning: arrivals: no 'x' was answered in the time that counts");
  }

  @Test
  void theSameSeedGivesTheSameNumbersOnAnyNumberOfThreads() throws IOException {
    simulate("--no-record", "--json", "--jobs", "1", model.toString());
    String first = printed();
    simulate("--no-record", "--json", "--jobs", "3", model.toString());

    assertThat(printed()).isEqualTo(first);
    JsonNode found = new ObjectMapper().readTree(first);
    assertThat(found.at("/requests/0/throughput_per_s/samples").asInt()).isEqualTo(3);
    assertThat(found.at("/requests/0/response_s/p99/half_width").asDouble()).isPositive();
  }

  @Test
  void batchesAreACourseOfTheRun() throws IOException {
    Files.writeString(
        model, Examples.SMALL.replace("replications: 3", "batches: 25, bounds: [20ms, 1s]"));
    assertThat(simulate("--json", "--no-record", model.toString())).isZero();

    JsonNode found = new ObjectMapper().readTree(printed());
    JsonNode series = found.get("series");
    assertThat(series.get("interval_s").asDouble()).isEqualTo(2.0);
    JsonNode rates = series.at("/requests/0/throughput_per_s");
    assertThat(rates).hasSize(25);
    assertThat(mean(rates))
        .isCloseTo(found.at("/requests/0/throughput_per_s/value").asDouble(), offset(1e-9));
    JsonNode within = series.at("/requests/0/goodput_per_s");
    assertThat(within).hasSize(2);
    assertThat(mean(within.get(0))).isBetween(0.1 * mean(rates), 0.9 * mean(rates));
    assertThat(mean(within.get(1))).isCloseTo(mean(rates), offset(1e-9));
    assertThat(found.at("/requests/0/goodput_per_s/0/bound_s").asDouble()).isEqualTo(0.02);
    assertThat(found.at("/requests/0/goodput_per_s/0/value").asDouble())
        .isCloseTo(mean(within.get(0)), offset(1e-9));
    for (String figure : new String[] {"busy", "queue"}) {
      assertThat(mean(series.at("/pools/0/" + figure)))
          .isCloseTo(found.at("/pools/0/" + figure + "/value").asDouble(), offset(1e-9));
    }
  }

  @Test
  void stationsHaveACourseAndReplicationsHaveNone() throws IOException {
    Files.writeString(
        model,
        Examples.SMALL
            .replace("wait: exponential", "cpu: exponential")
            .replace("workers: {size: 2, queue: 5}", "cores: 1")
            .replace("replications: 3", "batches: 10"));
    assertThat(simulate("--json", "--no-record", model.toString())).isZero();
    JsonNode found = new ObjectMapper().readTree(printed());
    assertThat(mean(found.at("/series/stations/0/utilisation")))
        .isCloseTo(found.at("/stations/0/utilisation/value").asDouble(), offset(1e-9));
    assertThat(found.at("/requests/0/goodput_per_s")).isEmpty();

    Files.writeString(
        model, Examples.SMALL.replace("replications: 3", "replications: 3, bounds: 20ms"));
    assertThat(simulate("--json", "--no-record", model.toString())).isZero();
    found = new ObjectMapper().readTree(printed());
    assertThat(found.has("series")).isFalse();
    assertThat(found.at("/requests/0/goodput_per_s/0/half_width").asDouble()).isPositive();
  }

  private static double mean(JsonNode values) {
    double sum = 0;
    for (JsonNode value : values) {
      sum += value.asDouble();
    }
    return sum / values.size();
  }

  @Test
  void replicationsDiffer() throws IOException {
    simulate("-o", folder.resolve("runs").toString(), model.toString());

    assertThat(folder.resolve("runs/small/0/windows.csv"))
        .content()
        .isNotEqualTo(Files.readString(folder.resolve("runs/small/1/windows.csv")));
  }

  @Test
  void severalModelsAreVariantsComparedWithTheFirst() throws IOException {
    Path more =
        Files.writeString(
            folder.resolve("more.yaml"), Examples.SMALL.replace("size: 2", "size: 4"));

    assertThat(simulate("-o", folder.resolve("runs").toString(), model.toString(), more.toString()))
        .isZero();

    JsonNode run = new ObjectMapper().readTree(folder.resolve("runs/more/2/run.json").toFile());
    assertThat(run.get("experiment").asText()).isEqualTo("simulate");
    assertThat(run.get("variant").asText()).isEqualTo("more");
    assertThat(run.get("repetition").asInt()).isEqualTo(2);
    assertThat(run.at("/configuration/versus").asText()).isEqualTo("small");
  }

  @Test
  void arrivalsThatNothingCanServeAreToldBesideTheFigures() throws IOException {
    String tooFast =
        Examples.SMALL
            .replace(
                "kind: closed, users: 10, think_time: exponential 100ms", "kind: open, rate: 100/s")
            .replace(", queue: 5", "");
    Files.writeString(model, tooFast);
    assertThat(simulate("-o", folder.resolve("runs").toString(), model.toString())).isZero();

    String warning = "arrivals: at most 80.0000 of 100.000 requests a second can be served";
    assertThat(printed()).contains("warning: " + warning);
    assertThat(folder.resolve("runs/small/0/run.json")).content().contains(warning);
  }

  @Test
  void wrongInputIsOneLineAndTwo() throws IOException {
    assertThat(simulate(folder.resolve("none.yaml").toString())).isEqualTo(2);
    refused("none.yaml: there is no such file");

    assertThat(simulate()).isEqualTo(2);
    refused("MODEL");

    assertThat(simulate("--jobs", "0", model.toString())).isEqualTo(2);
    refused("--jobs must be within 1..1024, but is 0");

    assertThat(simulate("--jsn", model.toString())).isEqualTo(2);
    refused("unknown option '--jsn'; did you mean '--json'?");

    assertThat(simulate("-o", folder.toString(), model.toString())).isEqualTo(2);
    refused("is there already; name another folder");

    Path below = Files.writeString(folder.resolve("file"), "").resolve("x");
    assertThat(simulate("-o", below.toString(), model.toString())).isEqualTo(2);
    refused("--output: the folder '" + below + "' cannot be made");

    assertThat(simulate(model.toString(), model.toString())).isEqualTo(2);
    refused("two models are called small");

    Files.writeString(model, Examples.SMALL.replace("size: 2", "sise: 2"));
    assertThat(simulate(model.toString())).isEqualTo(2);
    refused("small.yaml:5: tiers.server.workers: unknown setting 'sise'; did you mean 'size'?");
  }

  @Test
  void aLoadThatMemoryCannotHoldIsRefusedBeforeItStarts() throws IOException {
    Files.writeString(model, Examples.SMALL.replace("users: 10", "users: 900_000_000"));
    assertThat(simulate("--jobs", "1", "--no-record", model.toString())).isEqualTo(2);
    refused("small.yaml:2: clients: 900,000,000 users and waiting requests");

    String pilesUp =
        Examples.SMALL
            .replace(
                "kind: closed, users: 10, think_time: exponential 100ms",
                "kind: open, rate: 100000/s")
            .replace(", queue: 5", "")
            .replace("for: 60s", "for: 10h");
    Files.writeString(model, pilesUp);
    assertThat(simulate("--jobs", "1", "--no-record", model.toString())).isEqualTo(2);
    // (100000/s - 2 / 25 ms) for 36000 s.
    refused("small.yaml:2: clients: 3,597,120,000 users and waiting requests");

    Files.writeString(
        model, pilesUp.replaceAll("workers: .*", "").replace("exponential 25ms", "9h"));
    assertThat(simulate("--jobs", "1", "--no-record", model.toString())).isEqualTo(2);
    refused("; a smaller rate, shorter times of work (wait) or a shorter run need less");
  }
}
