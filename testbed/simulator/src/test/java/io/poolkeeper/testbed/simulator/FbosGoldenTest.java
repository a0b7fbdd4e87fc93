package io.poolkeeper.testbed.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.simulator.FbosExperiment.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The published figures of FBOS, Heuristic and Watermark; experiments/fbos-golden tells them all.
 */
final class FbosGoldenTest {

  @Test
  void allPoliciesGetTheSameJobs() {
    List<Long> sleeps = sleeps("fbos");
    for (String policy : List.of("heuristic", "heuristic-rising", "watermark")) {
      List<Long> others = sleeps(policy);
      long both =
          IntStream.range(0, sleeps.size())
              .filter(job -> sleeps.get(job) > 0 && others.get(job) > 0)
              .peek(job -> assertThat(others.get(job)).isEqualTo(sleeps.get(job)))
              .count();
      assertThat(both).as("jobs that ended under both").isGreaterThan(200);
    }
    double mean = sleeps.stream().filter(sleep -> sleep > 0).mapToLong(s -> s).average().orElse(0);
    assertThat(mean / 1e9).isCloseTo(1, within(0.1));
  }

  private static List<Long> sleeps(String policy) {
    return FbosFigures.runs(policy, FbosFigures.PUBLISHED_SLEEP).get(0).sleeps();
  }

  /** The print goes from 2 to 18 in second 2, to 24 in second 11 and to 30 in second 19. */
  @Test
  void fbosHasThePrintedSizesWithinTwoSecondsOfThePrint() {
    List<Double> print = FbosFigures.print("pool_size", "fbos");
    for (Trace run : FbosFigures.runs("fbos", FbosFigures.PUBLISHED_SLEEP)) {
      assertThat(run.sizes().stream().distinct().toList()).isEqualTo(distinct(print));
      for (int size : List.of(18, 24, 30)) {
        assertThat(run.sizes().indexOf(size))
            .as("second in which it has %d", size)
            .isCloseTo(print.indexOf((double) size), within(2));
      }
    }
  }

  private static List<Integer> distinct(List<Double> print) {
    return print.stream().map(Double::intValue).distinct().toList();
  }

  /**
   * Of the median of twenty sets of jobs, since the published set is one of many: single sets are
   * up to 7 % below the print at second 19. Found: FBOS -2.9 %, Watermark +2.6 %.
   */
  @ParameterizedTest
  @ValueSource(strings = {"fbos", "watermark"})
  void asManyJobsAreCompletedAsPrinted(String policy) {
    List<Trace> runs = FbosFigures.runs(policy, FbosFigures.PUBLISHED_SLEEP);
    assertThat(FbosFigures.deviation(runs, policy, 19)).isBetween(-0.05, 0.05);
    assertThat(FbosFigures.deviation(runs, policy, 10)).isBetween(-0.20, 0.20);
  }

  @Test
  void jobsOfTheHeuristicWaitFarLongerThanThoseOfTheOthers() {
    List<Trace> fbos = FbosFigures.runs("fbos", FbosFigures.PUBLISHED_SLEEP);
    List<Trace> watermark = FbosFigures.runs("watermark", FbosFigures.PUBLISHED_SLEEP);
    for (String heuristic : List.of("heuristic", "heuristic-rising")) {
      List<Trace> runs = FbosFigures.runs(heuristic, FbosFigures.PUBLISHED_SLEEP);
      for (int set = 0; set < FbosFigures.SETS; set++) {
        assertThat(runs.get(set).meanWait())
            .isGreaterThan(2 * fbos.get(set).meanWait())
            .isGreaterThan(2 * watermark.get(set).meanWait());
      }
    }
  }

  /**
   * Mean difference from the printed sizes: 1.7 workers when it grows on a rise, 17 as described.
   */
  @Test
  void noReadingOfTheHeuristicIsNearerToThePrintThanGrowthOnARise() {
    Map<String, Double> errors =
        HeuristicReadings.all().entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    reading ->
                        FbosFigures.sizeError(
                            FbosFigures.runs(reading.getValue(), FbosFigures.PUBLISHED_SLEEP),
                            "heuristic")));
    double rising = errors.getOrDefault(HeuristicReadings.RISES, Double.NaN);
    assertThat(rising).isLessThan(2.5);
    assertThat(errors.values())
        .allSatisfy(error -> assertThat(error).isGreaterThanOrEqualTo(rising));
    assertThat(errors.get(HeuristicReadings.AS_DESCRIBED)).isGreaterThan(4 * rising);
  }

  @Test
  void theVerdictHasTheFiguresOfThisCode() throws IOException {
    String figures = FbosFigures.markdown();
    Files.writeString(Path.of("target/fbos-golden.md"), figures);
    assertThat(Files.readString(Path.of("../../experiments/fbos-golden/verdict.md")))
        .as("the tables of target/fbos-golden.md")
        .contains(figures);
  }
}
