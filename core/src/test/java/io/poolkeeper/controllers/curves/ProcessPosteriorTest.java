package io.poolkeeper.controllers.curves;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProcessPosteriorTest {

  private static final int[] SEEN = {place(4), place(16), place(32)};
  private static final double[] LEVELS = {3.0, 4.5, 4.0};
  private static final double[] NOISE = {0.01, 0.02, 0.005};

  private static int place(int size) {
    return SizeGrid.nearest(size);
  }

  /** Golden values: the same formulas with numpy's matrix inverse, in place of a factor. */
  @ParameterizedTest
  @CsvSource({
    "SMOOTH, 3.889303157, 0.139806699, 3.717892267, 0.456708621, 0.086332623, -1.013406022",
    "ROUGH,  3.776307923, 0.381669835, 3.918021456, 0.845562819, 0.009741090, -1.014216092",
    "BROKEN, 3.715293980, 0.465540538, 4.117699863, 0.854353744, 0.016643233, -0.989296485",
  })
  void matchesTheTextbook(
      ProcessKernel kernel,
      double mean8,
      double variance8,
      double mean64,
      double variance64,
      double covariance,
      double logEvidence) {
    ProcessPosterior posterior = new ProcessPosterior(kernel, SEEN, LEVELS, NOISE);
    assertThat(posterior.mean(place(8))).isCloseTo(mean8, within(1e-6));
    assertThat(posterior.variance(place(8))).isCloseTo(variance8, within(1e-6));
    assertThat(posterior.mean(place(64))).isCloseTo(mean64, within(1e-6));
    assertThat(posterior.variance(place(64))).isCloseTo(variance64, within(1e-6));
    assertThat(posterior.covariance(place(8), place(64))).isCloseTo(covariance, within(1e-6));
    assertThat(posterior.logEvidence()).isCloseTo(logEvidence, within(1e-6));
  }

  /** Matheron's rule: the curves drawn have the mean and the variance of the posterior. */
  @Test
  void drawsFollowThePosterior() {
    ProcessPosterior posterior = new ProcessPosterior(ProcessKernel.ROUGH, SEEN, LEVELS, NOISE);
    int[] places = {place(16), place(64)};
    double[][] drawn = posterior.draws(places);
    for (int i = 0; i < places.length; i++) {
      int place = i;
      double mean =
          IntStream.range(0, drawn.length)
              .mapToDouble(d -> drawn[d][place])
              .average()
              .orElseThrow();
      double deviation = Math.sqrt(posterior.variance(places[i]));
      assertThat(mean).isCloseTo(posterior.mean(places[i]), within(3 * deviation / Math.sqrt(32)));
      double square =
          IntStream.range(0, drawn.length)
              .mapToDouble(d -> Math.pow(drawn[d][place] - mean, 2))
              .average()
              .orElseThrow();
      assertThat(Math.sqrt(square)).isBetween(0.6 * deviation, 1.4 * deviation);
    }
  }

  /** Adding the same to all levels moves the whole curve: the level has a flat prior. */
  @Test
  void theLevelIsNoPartOfThePrior() {
    double[] higher = {13.0, 14.5, 14.0};
    ProcessPosterior low = new ProcessPosterior(ProcessKernel.BENT, SEEN, LEVELS, NOISE);
    ProcessPosterior high = new ProcessPosterior(ProcessKernel.BENT, SEEN, higher, NOISE);
    assertThat(high.mean(place(200))).isCloseTo(low.mean(place(200)) + 10, within(1e-9));
    assertThat(high.logEvidence()).isCloseTo(low.logEvidence(), within(1e-9));
  }
}
