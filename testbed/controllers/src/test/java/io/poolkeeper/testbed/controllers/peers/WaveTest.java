package io.poolkeeper.testbed.controllers.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class WaveTest {

  private static List<Double> series(int count, IntToDoubleFunction value) {
    return IntStream.range(0, count).mapToObj(k -> value.applyAsDouble(k)).toList();
  }

  @Test
  void aCosineHasHalfItsAmplitudeAtItsPeriodAndNoneElsewhere() {
    List<Double> cosine = series(32, k -> 7 + 3 * Math.cos(2 * Math.PI * k / 4));
    assertThat(Wave.of(cosine, 4).magnitude()).isCloseTo(1.5, within(1e-9));
    assertThat(Wave.of(cosine, 32 / 9.0).magnitude()).isCloseTo(0, within(1e-9));
    assertThat(Wave.of(cosine, 32 / 7.0).magnitude()).isCloseTo(0, within(1e-9));
  }

  @Test
  void theRatioOfWavesSaysWhetherOneFollowsTheOther() {
    Wave wave = Wave.of(series(8, k -> Math.cos(2 * Math.PI * k / 4)), 4);
    Wave against = Wave.of(series(8, k -> -2 * Math.cos(2 * Math.PI * k / 4)), 4);
    Wave aside = Wave.of(series(8, k -> Math.sin(2 * Math.PI * k / 4)), 4);
    assertThat(wave.realRatio(wave)).isCloseTo(1, within(1e-9));
    assertThat(against.realRatio(wave)).isCloseTo(-2, within(1e-9));
    assertThat(aside.realRatio(wave)).isCloseTo(0, within(1e-9));
  }

  @Test
  void theNormalDistributionIsThatOfTheTables() {
    assertThat(Normal.below(0)).isCloseTo(0.5, within(1e-7));
    assertThat(Normal.below(1)).isCloseTo(0.841_344_746, within(1e-7));
    assertThat(Normal.below(1.96)).isCloseTo(0.975_002_105, within(1e-7));
    assertThat(Normal.below(-2)).isCloseTo(0.022_750_132, within(1e-7));
  }
}
