package io.poolkeeper.testbed.benchmarks.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

final class BootstrapIntervalTest {

  @Test
  void aShareOfNothingCountsAsAThousandth() {
    assertThat(BootstrapInterval.geometricMean(List.of(0.25, 1.0))).isCloseTo(0.5, within(1e-12));
    assertThat(BootstrapInterval.geometricMean(List.of(0.0, 1.0)))
        .isCloseTo(Math.sqrt(1e-3), within(1e-12));
  }

  /** The mean of 100 values of deviation 0.1 has an interval of two hundredths either way. */
  @Test
  void theIntervalIsThatOfTheMean() {
    SplittableRandom random = new SplittableRandom(5);
    List<Double> values =
        DoubleStream.generate(() -> 1 + 0.1 * random.nextGaussian()).limit(100).boxed().toList();
    BootstrapInterval resampled = BootstrapInterval.of(values, BootstrapInterval::geometricMean);
    assertThat(resampled.figure()).isEqualTo(BootstrapInterval.geometricMean(values));
    assertThat(resampled.figure() - resampled.least()).isBetween(0.015, 0.025);
    assertThat(resampled.most() - resampled.figure()).isBetween(0.015, 0.025);
    assertThat(resampled).isEqualTo(BootstrapInterval.of(values, BootstrapInterval::geometricMean));
  }

  @Test
  void equalValuesHaveNoSpread() {
    assertThat(BootstrapInterval.of(List.of(0.5, 0.5), BootstrapInterval::geometricMean))
        .hasToString("0.500 (0.500 to 0.500)");
  }
}
