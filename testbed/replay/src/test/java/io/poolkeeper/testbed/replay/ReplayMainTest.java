package io.poolkeeper.testbed.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.replay.Runs.Printed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ReplayMainTest {

  @TempDir private Path run = Path.of("");

  static Stream<String> controllers() {
    return Controllers.all().stream()
        .map(ControllerDescriptor::name)
        .filter(name -> !name.equals("fixed"));
  }

  @ParameterizedTest
  @MethodSource("controllers")
  void theControllerOfTheRecordingDecidesTheSameAgainToTheLastBit(String name) {
    Runs.record(run, name, Map.of(), Mode.ACTIVE, 60);
    Printed printed = Runs.replay(run);
    assertThat(printed.out())
        .startsWith("pool workers, " + name)
        .endsWith(": 60 of 60 decisions the same\n");
    assertThat(printed.err()).isEmpty();
    assertThat(printed.code()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"ACTIVE", "DRY_RUN"})
  void itsSettingsAndModeAreThoseOfTheRecording(Mode mode) {
    Runs.record(run, "mean-latency", Map.of("step", "3", "threshold", "0.2"), mode, 30);
    assertThat(Runs.replay(run).out())
        .isEqualTo(
            "pool workers, mean-latency (step 3, threshold 0.2, lock 6): 30 of 30 decisions the same\n");
  }

  @Test
  void anotherSettingIsAnotherController() {
    Runs.record(run, "throughput", Map.of(), Mode.ACTIVE, 20);
    Printed printed = Runs.replay(run, "--set", "step=4");
    assertThat(printed.code()).isZero();
    assertThat(printed.lines().get(0)).isEqualTo("  time s  size  recorded  this     reason");
    assertThat(printed.lines().get(1))
        .isEqualTo(
            "   1.000     8        18    12  *  step up by 4, to be checked in the next window");
    assertThat(printed.out())
        .contains(
            "\npool workers, throughput (step 4, threshold 0.1, lock 6) in place of throughput: ")
        .contains(" of 20 windows; mean size wanted ")
        .contains("what the others would have brought is not known");
  }

  @Test
  void theRecordedSizeIsInForceWhateverAnotherControllerWants() {
    Runs.record(run, "throughput", Map.of("step", "2"), Mode.ACTIVE, 12);
    List<String> recorded = column(Runs.replay(run, "--all"), 1);
    assertThat(column(Runs.replay(run, "--all", "--controller", "fixed", "--set", "size=7"), 1))
        .isEqualTo(recorded);
    assertThat(column(Runs.replay(run, "--all", "--controller", "fixed", "--set", "size=7"), 3))
        .containsOnly("7");
  }

  private static List<String> column(Printed printed, int number) {
    return printed.lines().subList(1, 13).stream()
        .map(line -> List.of(line.strip().split("\\s+", -1)).get(number))
        .toList();
  }

  @Test
  void csvHoldsEveryWindowAndTheSummaryGoesToTheErrors() {
    Runs.record(run, "mean-latency", Map.of(), Mode.ACTIVE, 10);
    Printed printed = Runs.replay(run, "--csv", "--controller", "throughput");
    assertThat(printed.lines()).hasSize(11);
    assertThat(printed.lines().get(0)).isEqualTo(Result.CSV_HEADER);
    assertThat(printed.lines().get(1))
        .isEqualTo(
            "workers,1.000,8,resized,18,resized,18,false,"
                + "\"step up by 10, to be checked in the next window\","
                + "\"step up by 10, to be checked in the next window\"");
    assertThat(printed.err())
        .startsWith("pool workers, throughput (")
        .contains(" in place of mean");
  }

  @Test
  void aDecisionThatIsNotTheControllersIsFound() throws IOException {
    Runs.record(run, "mean-latency", Map.of(), Mode.ACTIVE, 10);
    Runs.edit(
        run.resolve("decisions.jsonl"), "\"threshold\":0.05", "\"threshold\":0.050000000000000003");
    assertThat(Runs.replay(run).code()).as("the same number in other words").isZero();
    Runs.edit(run.resolve("decisions.jsonl"), "0.050000000000000003", "0.05000000000000001");
    Printed printed = Runs.replay(run);
    assertThat(printed.code()).isEqualTo(1);
    assertThat(printed.out())
        .contains("threshold is 0.05, recorded 0.05000000000000001")
        .contains(" of 10 decisions the same\n")
        .contains("the sizes are; numbers or reasons are not");
  }

  @Test
  void aControllerThatThrewIsReplayedAsOneThatDoes() throws IOException {
    Controller broken =
        window -> {
          throw new IllegalStateException("on purpose");
        };
    PoolSetup setup = PoolSetup.of("throughput", Map.of(), Objective.throughput(), Runs.BOUNDS);
    Runs.record(run, setup, broken, Mode.ACTIVE, 4);
    Printed printed = Runs.replay(run);
    assertThat(printed.code()).isEqualTo(1);
    assertThat(printed.out()).contains("0 of 4 decisions the same").contains("failed");
  }

  @Test
  void aFailedResizeCountsAsTheSameIfTheSameWasAsked() throws IOException {
    Controller seven = window -> Decision.resize(7, "fixed at 7");
    PoolSetup setup =
        PoolSetup.of("fixed", Map.of("size", "7"), Objective.throughput(), Runs.BOUNDS);
    Runs.record(run, setup, seven, Mode.ACTIVE, 3);
    Path decisions = run.resolve("decisions.jsonl");
    List<String> lines = Files.readAllLines(decisions);
    lines.set(
        0,
        lines
            .get(0)
            .replace("resized", "failed")
            .replace("\"size_after\":7", "\"size_after\":8")
            .replace("fixed at 7", "the resize to 7 failed: no memory"));
    Files.write(decisions, lines);
    assertThat(Runs.replay(run).out()).endsWith("3 of 3 decisions the same\n");
  }

  @Test
  void aPoolThatNobodyControlledIsShownToTheControllerThatIsNamed() {
    Runs.record(run, "throughput", Map.of(), Mode.FROZEN, 6);
    Printed printed = Runs.replay(run, "--controller", "mean-latency");
    assertThat(printed.code()).isZero();
    assertThat(printed.out())
        .contains("asked about the 6 windows of a pool that nobody controlled")
        .contains("   1.000     8         -    18");
  }

  @Test
  void helpTeaches() {
    Printed printed = Runs.replay("--help");
    assertThat(printed.code()).isZero();
    assertThat(printed.out())
        .contains("Usage: ./poolkeeper replay")
        .contains("Examples")
        .contains("Exit code");
  }
}
