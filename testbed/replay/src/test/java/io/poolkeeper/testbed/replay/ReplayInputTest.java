package io.poolkeeper.testbed.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Mode;
import io.poolkeeper.testbed.replay.Runs.Printed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that wrong input is told in one line, with its place. */
final class ReplayInputTest {

  @TempDir private Path folder = Path.of("");
  private Path run = Path.of("");

  @BeforeEach
  void record() {
    run = folder.resolve("one");
    Runs.record(run, "throughput", Map.of(), Mode.ACTIVE, 5);
  }

  @Test
  void aMissingColumn() throws IOException {
    Runs.edit(run.resolve("windows.csv"), ",completions,", ",complete,");
    refused(run + "/windows.csv, line 1: column missing: completions", run);
  }

  @Test
  void aLaterVersion() throws IOException {
    Runs.edit(run.resolve("run.json"), "\"version\":1", "\"version\":9");
    refused(
        run + "/run.json: version 9 of the run record; this reader knows versions up to 1", run);
  }

  @Test
  void anUnknownController() {
    refusedStarting(
        "unknown controller 'thruput'; did you mean 'throughput'? known: ",
        run,
        "--controller",
        "thruput");
  }

  @Test
  void anUnknownSetting() {
    refused(
        "unknown setting of throughput 'stop'; did you mean 'step'? known: lock, step, threshold",
        run,
        "--set",
        "stop=3");
  }

  @Test
  void aSettingOutOfItsRange() {
    refused("step must be >= 1, but is 0", run, "--set", "step=0");
    refused("step must be a whole number, but is 'two'", run, "--set", "step=two");
    refused(
        "size of the fixed controller must be within 1..60, but is 99",
        run,
        "--controller",
        "fixed",
        "--set",
        "size=99");
  }

  @Test
  void aControllerOfTheRecordThatThereIsNot() throws IOException {
    Runs.edit(run.resolve("run.json"), "\"throughput\",\"settings\"", "\"thruput\",\"settings\"");
    refusedStarting(
        run + "/run.json, pool workers: unknown controller 'thruput'; did you mean", run);
  }

  @Test
  void aSettingOfTheRecordThatThereIsNot() throws IOException {
    Runs.edit(run.resolve("run.json"), "\"lock\"", "\"look\"");
    refusedStarting(run + "/run.json, pool workers: unknown setting of throughput 'look'", run);
  }

  @Test
  void aPolicyThatNeedsTheEventsOfTasks() {
    refused(
        "fbos decides at the arrival and end of tasks, of which a record of windows has none",
        run,
        "--controller",
        "fbos");
  }

  @Test
  void anUnknownPool() {
    refused(
        "unknown pool 'worker'; did you mean 'workers'? known: workers", run, "--pool", "worker");
  }

  @Test
  void aFolderOfRuns() {
    refused("%s: holds 1 runs, choose one, such as %s".formatted(folder, run), folder);
  }

  @Test
  void noRun() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    refused(empty + ": is no run, it has no windows.csv", empty);
    Path nowhere = folder.resolve("nowhere");
    refused(nowhere + ": is not a folder", nowhere);
  }

  @Test
  void decisionsThatAreMissing() throws IOException {
    Files.delete(run.resolve("decisions.jsonl"));
    refused(run + "/decisions.jsonl: is missing", run);
  }

  @Test
  void noArgument() {
    refused("Missing required parameter: 'RUN' (--help explains)");
  }

  @Test
  void aMistypedOption() {
    refusedStarting(
        "unknown option '--controler'; did you mean '--controller'? known: ",
        run,
        "--controler",
        "throughput");
  }

  private static void refused(String line, Object... arguments) {
    Printed printed = Runs.replay(arguments);
    assertThat(printed.err()).isEqualTo("poolkeeper: " + line + "\n");
    assertThat(printed.out()).isEmpty();
    assertThat(printed.code()).isEqualTo(2);
  }

  private static void refusedStarting(String line, Object... arguments) {
    Printed printed = Runs.replay(arguments);
    assertThat(printed.err()).startsWith("poolkeeper: " + line);
    assertThat(printed.err().lines()).hasSize(1);
    assertThat(printed.out()).isEmpty();
    assertThat(printed.code()).isEqualTo(2);
  }
}
