package io.poolkeeper.controllers.curves;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BreakTest {

  private static final int[] SIZES = {4, 8, 16, 32, 64, 128};

  private static final int[] INDEX = Arrays.stream(SIZES).map(SizeGrid::nearest).toArray();

  private static double[] same(double value) {
    double[] all = new double[SIZES.length];
    Arrays.fill(all, value);
    return all;
  }

  private static List<Break> of(double... levels) {
    return Break.mostProbable(INDEX, levels, same(0.001));
  }

  @Test
  void aCurveWithoutAJumpHasNone() {
    assertThat(of(5, 5.1, 5.2, 5.3, 5.3, 5.2)).isEmpty();
  }

  @Test
  void liesInTheGapWithTheJump() {
    Break found = of(5, 5.1, 5.2, 5.3, 3.1, 3).get(0);
    assertThat(SizeGrid.size(found.lower())).isEqualTo(32);
    assertThat(SizeGrid.size(found.upper())).isEqualTo(64);
  }

  @Test
  void eachSideKnowsNothingOfTheOther() {
    List<CurveDistribution> curves = of(5, 5.1, 5.2, 5.3, 3.1, 3).get(0).curves();
    assertThat(curves).hasSize(3);
    int below = SizeGrid.nearest(32);
    int above = SizeGrid.nearest(64);
    for (CurveDistribution curve : curves) {
      assertThat(curve.mean(below)).isCloseTo(5.3, within(0.05));
      assertThat(curve.mean(above)).isCloseTo(3.1, within(0.05));
      assertThat(curve.covariance(below, above)).isZero();
      assertThat(curve.covariance(below, below)).isEqualTo(curve.variance(below));
      double[] drawn = curve.draws(new int[] {below, above})[3];
      assertThat(drawn[0] - drawn[1]).isCloseTo(2.2, within(0.4));
    }
    int between = SizeGrid.nearest(45);
    assertThat(
            curves.stream().mapToDouble(curve -> curve.mean(between)).filter(m -> m > 4.5).count())
        .as("positions of the break beyond 45")
        .isBetween(1L, 2L);
  }

  /** Two places next to each other leave one position. */
  @Test
  void aNarrowGapHasOnePosition() {
    int[] index = {SizeGrid.nearest(8), SizeGrid.nearest(9)};
    Break found =
        Break.mostProbable(index, new double[] {5, 3}, new double[] {0.001, 0.001}).get(0);
    assertThat(found.curves()).hasSize(1);
  }
}
