package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.measure.Summary;
import io.poolkeeper.testbed.load.record.Outputs;
import io.poolkeeper.testbed.load.run.LoadRun;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A warm-up and what is measured after it are one stream of requests, over real sockets. */
@Timeout(300)
class WarmUpTest {

  /** Requests after which the warm-up is over. */
  private static final int WARM = 400;

  @TempDir private Path folder = Path.of("");

  private final CompletableFuture<LoadRun> run = new CompletableFuture<>();
  private final CountDownLatch warm = new CountDownLatch(WARM);
  private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

  private ScriptedServer server() throws Exception {
    return new ScriptedServer(
        client -> {
          warm.countDown();
          if (warm.getCount() == 0) {
            run.join().measure();
          }
          client.send(FixedAnswerServer.HELLO);
        });
  }

  /** Runs a load until the rows of its record are right. */
  private Summary playUntil(
      Predicate<List<Map<String, String>>> right, ScriptedServer server, int threads, String yaml)
      throws Exception {
    CompletableFuture<Void> stop =
        CompletableFuture.runAsync(
            () -> {
              try {
                LoadCommand.awaitRows(folder, right);
                run.join().stop();
              } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    Summary summary = play(server, threads, yaml);
    stop.join();
    return summary;
  }

  private Summary play(ScriptedServer server, int threads, String yaml) throws Exception {
    LoadDescription load = Loads.of(yaml);
    Target target = Target.parse(server.url(), false);
    PrintStream lines = new PrintStream(progress, true, StandardCharsets.UTF_8);
    try (Outputs outputs = new Outputs(folder, true, lines, null, load, target, warnings -> {})) {
      LoadRun loadRun = new LoadRun(load, target, threads, true, outputs.samples(), outputs);
      run.complete(loadRun);
      Summary summary = loadRun.run();
      outputs.finish(summary);
      assertThat(outputs.problem()).isNull();
      return summary;
    }
  }

  private List<JsonNode> lines() {
    return LoadCommand.json(progress.toString(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void usersKeepTheirConnections(int threads) throws Exception {
    try (ScriptedServer server = server()) {
      Summary summary =
          playUntil(
              rows -> LoadCommand.sum(rows, "requests") > 0,
              server,
              threads,
              """
              clients: {kind: closed, phases: [{users: 6, for: 600s}]}
              timeout: 300s
              http: {a: /a}
              """);

      assertThat(server.accepted()).as("none is opened at the border").isEqualTo(6);
      long measured = summary.tally().requests();
      assertThat(measured).isPositive().isLessThanOrEqualTo(server.requests() - WARM + 6);
      assertAllFilesHold(measured, summary);
    }
  }

  private void assertAllFilesHold(long requests, Summary summary) throws Exception {
    List<Map<String, String>> rows = LoadCommand.rows(folder.resolve("load.csv"));
    assertThat(LoadCommand.sum(rows, "requests")).isEqualTo(requests);
    assertThat(rows.get(0)).containsEntry("start_ns", "" + summary.start());
    assertThat(LoadCommand.histograms(folder))
        .allSatisfy((tag, times) -> assertThat(times.getTotalCount()).isEqualTo(requests));
    assertThat(LoadCommand.rows(folder.resolve("samples.jtl"))).hasSize((int) requests);
    assertThat(lines().get(0).get("event").asText()).isEqualTo("warms up");
    assertThat(lines().stream().filter(line -> line.has("warm_up")).count()).isPositive();
    assertThat(lines())
        .filteredOn(line -> line.path("event").asText().equals("begins"))
        .singleElement()
        .satisfies(line -> assertThat(line.get("start_ns").asLong()).isEqualTo(summary.start()));
    assertThat(lines().stream().filter(line -> line.has("t") && !line.has("warm_up")))
        .hasSameSizeAs(rows);
  }

  /**
   * Requests count as offered when the file says so, whatever arrived before; a backlog does not
   * count.
   */
  @Test
  void arrivalsBeginAnewOnTheSameConnections() throws Exception {
    try (ScriptedServer server = server()) {
      Summary summary =
          playUntil(
              // Those under way at the border are answered behind it, too.
              rows ->
                  LoadCommand.sum(rows, "sent") == 300 && LoadCommand.sum(rows, "requests") >= 300,
              server,
              2,
              """
              clients:
                kind: open
                arrivals: constant
                phases: [{rate: 1000/s, for: 0.3s}, {rate: 0/s, for: 600s}]
              connections: 5
              timeout: 300s
              http: {a: /a}
              """);

      assertThat(server.accepted()).isLessThanOrEqualTo(5);
      assertThat(summary.schedule())
          .satisfies(
              schedule -> {
                assertThat(schedule.offered()).isEqualTo(300);
                assertThat(schedule.sent()).isEqualTo(300);
              });
      assertThat(summary.tally().requests()).isBetween(300L, 305L);
      assertThat(server.requests()).isGreaterThanOrEqualTo(WARM + 300 - 5);
      assertAllFilesHold(summary.tally().requests(), summary);
    }
  }

  @Test
  void sessionsGoOnOverTheBorder() throws Exception {
    try (ScriptedServer server = server()) {
      Summary summary =
          playUntil(
              rows -> server.accepted() == 2 && LoadCommand.sum(rows, "requests") > 0,
              server,
              1,
              """
              clients: {kind: half-open, rate: 0.01/s, arrivals: constant, stay: 0.9999999}
              for: 90s
              timeout: 300s
              connections: 5
              http: {a: /a}
              """);

      // One came at the beginning and never leaves; the other comes when measuring begins.
      assertThat(server.accepted()).isEqualTo(2);
      assertThat(summary.schedule()).satisfies(schedule -> assertThat(schedule.unsent()).isZero());
      assertThat(summary.tally().requests()).isPositive();
      assertAllFilesHold(summary.tally().requests(), summary);
    }
  }

  @Test
  void whatStopsTheWarmUpLeavesAnEmptyRecord() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              run.join().stop();
              client.send(FixedAnswerServer.HELLO);
            })) {
      Summary summary =
          play(
              server,
              2,
              """
              clients: {kind: closed, users: 1}
              for: 60s
              http: {a: /a}
              """);

      assertThat(summary.seconds()).isBetween(0.0, 50.0);
      assertThat(summary.warnings()).singleElement().asString().contains("stopped after");
      assertThat(LoadCommand.rows(folder.resolve("load.csv")))
          .hasSize(LoadCommand.intervals(60, LoadCommand.summary(folder)));
    }
  }
}
