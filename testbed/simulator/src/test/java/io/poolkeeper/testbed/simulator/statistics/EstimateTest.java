package io.poolkeeper.testbed.simulator.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Test;

final class EstimateTest {

  /** By hand: mean 4, variance 4, t with two degrees of freedom 4.302653. */
  @Test
  void intervalByStudentsT() {
    Estimate estimate = Estimate.of(2, 4, 6);
    assertThat(estimate.value()).isEqualTo(4);
    assertThat(estimate.standardError()).isCloseTo(2 / Math.sqrt(3), offset(1e-12));
    assertThat(estimate.halfWidth(0.95)).isCloseTo(4.302653 * 2 / Math.sqrt(3), offset(1e-5));
  }

  @Test
  void oneSampleHasNoStandardError() {
    assertThat(Estimate.of(3).standardError()).isNaN();
    assertThat(Estimate.of(3).halfWidth(0.95)).isNaN();
    assertThat(Estimate.of().value()).isNaN();
  }

  @Test
  void levelOutOfRange() {
    assertThatThrownBy(() -> Estimate.of(1, 2).halfWidth(95))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("level must be above 0 and below 1, but is 95");
  }

  /** Of 2000 intervals of 90 %, 90 % contain the true mean, give or take three standard errors. */
  @Test
  void intervalsContainTheTruthAsOftenAsTheySay() {
    var normal = ZigguratSampler.NormalizedGaussian.of(RandomSource.XO_SHI_RO_256_PP.create(1));
    int contained = 0;
    for (int i = 0; i < 2_000; i++) {
      double[] samples = new double[8];
      for (int j = 0; j < samples.length; j++) {
        samples[j] = 5 + 2 * normal.sample();
      }
      contained += Estimate.of(samples).contains(5, 0.9) ? 1 : 0;
    }
    assertThat(contained / 2_000.0).isCloseTo(0.9, offset(0.02));
  }

  /** Exponential with mean 1 ms: the error is far below the width of a bucket, 0.1 %. */
  @Test
  void percentilesAreInterpolated() {
    Histogram histogram = new Histogram(3);
    int count = 1_000_000;
    for (int i = 0; i < count; i++) {
      histogram.recordValue((long) (-1e6 * Math.log(1 - (i + 0.5) / count)));
    }
    double[] found = Percentiles.of(histogram, 0.5, 0.9, 0.99, 0.999);
    double[] fractions = {0.5, 0.9, 0.99, 0.999};
    for (int i = 0; i < found.length; i++) {
      double exact = -1e6 * Math.log(1 - fractions[i]);
      assertThat(found[i]).isCloseTo(exact, offset(1e-4 * exact));
    }
  }

  @Test
  void percentilesOfSpecialHistograms() {
    Histogram histogram = new Histogram(3);
    assertThat(Percentiles.of(histogram, 0, 0.5)).containsExactly(Double.NaN, Double.NaN);
    histogram.recordValueWithCount(0, 10);
    assertThat(Percentiles.of(histogram, 0, 0.5, 1)).containsExactly(0, 0, 0);
    histogram.recordValueWithCount(7, 10);
    assertThat(Percentiles.of(histogram, 0.5, 0.75, 1)).containsExactly(0, 7, 7);
  }
}
