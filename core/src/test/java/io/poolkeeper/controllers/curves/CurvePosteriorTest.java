package io.poolkeeper.controllers.curves;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class CurvePosteriorTest {

  private static final int[] SIZES = {1, 2, 4, 8, 16, 32, 64};

  private static CurvePosterior after(DoubleUnaryOperator curve, double windows, int... sizes) {
    int[] index = IntStream.of(sizes).map(SizeGrid::nearest).toArray();
    double[] level =
        IntStream.of(sizes)
            .mapToDouble(size -> StrictMath.log(curve.applyAsDouble(size)))
            .toArray();
    double[] noise = new double[sizes.length];
    Arrays.fill(noise, Tuning.CORRELATION * Tuning.USUAL_NOISE * Tuning.USUAL_NOISE / windows);
    return new CurvePosterior(index, level, noise);
  }

  @Test
  void aKneeIsAShape() {
    CurvePosterior posterior = after(n -> 10 * Math.min(n, 12), 10, SIZES);
    assertThat(posterior.shareOfShapes()).isGreaterThan(0.9);
  }

  /** Rises to 16, and is a third beyond: no shape falls like that. */
  @Test
  void aCliffMakesThePosteriorRough() {
    CurvePosterior posterior = after(n -> n <= 16 ? 10 * n : 50, 10, SIZES);
    assertThat(posterior.shareOfShapes()).isLessThan(0.1);
    double seen = posterior.level(SizeGrid.nearest(16)).variance();
    double between = posterior.level(SizeGrid.nearest(22)).variance();
    assertThat(between).isGreaterThan(10 * seen);
  }

  /**
   * Rises to 38 and is a fifth at 92: where in between it falls is not known, up to there it rises.
   */
  @Test
  void aCliffHidesNothingOfWhatLiesBeforeIt() {
    DoubleUnaryOperator curve = n -> n <= 57 ? 5.6 * Math.sqrt(n) : 7.5;
    CurvePosterior posterior = after(curve, 60, 1, 5, 10, 19, 26, 32, 36, 38, 92);
    double here = posterior.level(SizeGrid.nearest(38)).mean();
    assertThat(posterior.level(SizeGrid.nearest(42)).mean()).isGreaterThan(here);
    double higher = 0;
    for (int p = 0; p < posterior.processes(); p++) {
      boolean rises = posterior.process(p).mean(SizeGrid.nearest(50)) > here + 0.05;
      higher += rises ? posterior.share(p) : 0;
    }
    assertThat(higher).as("probability that 50 is better").isBetween(0.2, 0.8);
  }

  /** However smooth the rest, a step at a size that was not seen is never ruled out. */
  @Test
  void aSizeThatWasNotSeenMayAlwaysBeDifferent() {
    CurvePosterior posterior = after(n -> 100, 100, SIZES);
    double shares = posterior.shareOfShapes();
    for (int p = 0; p < posterior.processes(); p++) {
      shares += posterior.share(p);
    }
    assertThat(shares).isBetween(1 - 1e-9, 1 + 1e-9);
    assertThat(posterior.share(posterior.processes() - 1)).isGreaterThan(0.005);
  }

  @Test
  void theDensityIsThatOfTheMixture() {
    CurvePosterior posterior = after(n -> 10 * Math.min(n, 12), 10, SIZES);
    int place = SizeGrid.nearest(24);
    double sum = 0;
    for (double level = -5; level < 15; level += 0.001) {
      sum += 0.001 * posterior.density(place, level, 0.01);
    }
    assertThat(sum).isBetween(0.99, 1.01);
  }
}
