package io.poolkeeper.testbed.controllers.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class CorrelationWindowTest {

  private static CorrelationWindow of(int warmUp, double[]... pairs) {
    CorrelationWindow window = new CorrelationWindow(3, warmUp);
    for (double[] pair : pairs) {
      window.add(pair[0], pair[1]);
    }
    return window;
  }

  private static double[] pair(double x, double y) {
    return new double[] {x, y};
  }

  /** Deviations -1, 0, 1 and -1, 1, 0: 1 over the root of 2 times 2. */
  @Test
  void isThatOfThePairs() {
    assertThat(of(3, pair(1, 10), pair(2, 30), pair(3, 20)).correlation())
        .isCloseTo(0.5, within(1e-12));
    assertThat(of(3, pair(1, 30), pair(2, 20), pair(3, 10)).correlation())
        .isCloseTo(-1, within(1e-12));
  }

  /** 10, 20, 30: the root of 200 / 3 over 20. */
  @Test
  void variationIsThatOfTheSecond() {
    assertThat(of(3, pair(1, 10), pair(2, 20), pair(3, 30)).variation())
        .isCloseTo(0.408_248, within(1e-6));
  }

  @Test
  void theOldestPairGoes() {
    assertThat(of(3, pair(9, 0.1), pair(1, 30), pair(2, 20), pair(3, 10)).correlation())
        .isCloseTo(-1, within(1e-12));
  }

  @Test
  void fewPairsAndSmallVariationsSayNothing() {
    assertThat(of(3, pair(1, 10), pair(2, 20)).correlation()).isZero();
    assertThat(of(3, pair(1, 10), pair(2, 20)).variation()).isZero();
    assertThat(of(3, pair(100, 10), pair(100.1, 20), pair(100.2, 30)).correlation()).isZero();
    assertThat(of(3, pair(1, 100), pair(2, 100.1), pair(3, 100.2)).correlation()).isZero();
  }
}
