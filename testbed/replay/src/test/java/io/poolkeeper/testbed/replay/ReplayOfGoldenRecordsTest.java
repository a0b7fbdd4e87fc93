package io.poolkeeper.testbed.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.replay.Runs.Printed;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The records of contract/golden; their decisions were written by hand, not by a controller. */
final class ReplayOfGoldenRecordsTest {

  private static final Path GOLDEN = Path.of("../../contract/golden/v1");

  @Test
  void aRecordThatDoesNotTellTheSettingsIsReplayedWithTheStandardOnes() {
    Printed printed = Runs.replay(GOLDEN.resolve("adaptive"));
    assertThat(printed.out())
        .contains("pool workers, throughput (step 10, threshold 0.1, lock 6): 0 of 20 decisions")
        .contains("run.json does not tell those of the run");
    assertThat(printed.code()).isEqualTo(1);
  }

  @Test
  void everyActionIsCompared() {
    Printed printed = Runs.replay(GOLDEN.resolve("every-action"));
    assertThat(printed.out())
        .contains("300 refused")
        .contains("pool workers, mean-latency (step 4, threshold 0.05, lock 6): ")
        .contains(" of 6 decisions the same");
    assertThat(printed.code()).isEqualTo(1);
  }

  @Test
  void aRecordThatWasCutOffIsReplayedAsFarAsItGoes() {
    Printed printed = Runs.replay(GOLDEN.resolve("cut-off"), "--controller", "mean-latency");
    assertThat(printed.code()).isZero();
    assertThat(printed.err())
        .contains("windows.csv: the last line is cut off and was ignored")
        .contains("decisions.jsonl: the last line is cut off and was ignored");
    assertThat(printed.out()).contains(" of 6 windows; ");
  }

  @Test
  void aFixedPoolNeedsTheNameOfAController() {
    Path fixed = GOLDEN.resolve("fixed-4");
    Printed printed = Runs.replay(fixed);
    assertThat(printed.code()).isEqualTo(2);
    assertThat(printed.err())
        .isEqualTo(
            "poolkeeper: %s: the record does not tell who controlled the pool workers; name one with --controller\n"
                .formatted(fixed));
    assertThat(Runs.replay(fixed, "--controller", "throughput").out())
        .contains("asked about the 20 windows");
  }
}
