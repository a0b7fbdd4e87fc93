package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

final class CurvePosteriorTest {

  private static final int[] SIZES = {1, 2, 4, 8, 16, 32, 64};

  private static CurvePosterior after(DoubleUnaryOperator curve, double windows, int... sizes) {
    Knowledge knowledge = Knowledge.NONE;
    for (int size : sizes) {
      int place = SizeGrid.nearest(size);
      knowledge = knowledge.with(place, windows, StrictMath.log(curve.applyAsDouble(size)), place);
    }
    return new CurvePosterior(knowledge);
  }

  @Test
  void aKneeIsAShape() {
    CurvePosterior belief = after(n -> 10 * Math.min(n, 12), 10, SIZES);
    assertThat(belief.shareOfShapes()).isGreaterThan(0.9);
  }

  /** Rises to 16, and is a third beyond: no shape falls like that. */
  @Test
  void aCliffMakesTheBeliefRough() {
    CurvePosterior belief = after(n -> n <= 16 ? 10 * n : 50, 10, SIZES);
    assertThat(belief.shareOfShapes()).isLessThan(0.1);
    double known = belief.level(SizeGrid.nearest(16)).variance();
    double between = belief.level(SizeGrid.nearest(22)).variance();
    assertThat(between).isGreaterThan(10 * known);
  }

  /**
   * Rises to 38 and is a fifth at 92: where in between it falls is not known, up to there it rises.
   */
  @Test
  void aCliffHidesNothingOfWhatLiesBeforeIt() {
    DoubleUnaryOperator curve = n -> n <= 57 ? 5.6 * Math.sqrt(n) : 7.5;
    CurvePosterior belief = after(curve, 60, 1, 5, 10, 19, 26, 32, 36, 38, 92);
    double here = belief.level(SizeGrid.nearest(38)).mean();
    assertThat(belief.level(SizeGrid.nearest(42)).mean()).isGreaterThan(here);
    double higher = 0;
    for (int p = 0; p < belief.processes(); p++) {
      boolean rises = belief.process(p).mean(SizeGrid.nearest(50)) > here + 0.05;
      higher += rises ? belief.share(p) : 0;
    }
    assertThat(higher).as("probability that 50 is better").isBetween(0.2, 0.8);
  }

  /** However smooth the rest, a step at a size that was not seen is never ruled out. */
  @Test
  void aSizeThatWasNotSeenMayAlwaysBeDifferent() {
    CurvePosterior belief = after(n -> 100, 100, SIZES);
    double shares = belief.shareOfShapes();
    for (int p = 0; p < belief.processes(); p++) {
      shares += belief.share(p);
    }
    assertThat(shares).isBetween(1 - 1e-9, 1 + 1e-9);
    assertThat(belief.share(belief.processes() - 1)).isGreaterThan(0.005);
  }

  @Test
  void theDensityIsThatOfTheMixture() {
    CurvePosterior belief = after(n -> 10 * Math.min(n, 12), 10, SIZES);
    int place = SizeGrid.nearest(24);
    double sum = 0;
    for (double level = -5; level < 15; level += 0.001) {
      sum += 0.001 * belief.density(place, level, 0.01);
    }
    assertThat(sum).isBetween(0.99, 1.01);
  }
}
