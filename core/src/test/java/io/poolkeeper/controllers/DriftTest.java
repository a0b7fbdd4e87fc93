package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

final class DriftTest {

  private static final double SECONDS = 0.5;
  private static final double NOISE = 0.08;

  /** Returns the error after a level has been followed for a minute, and the last variance. */
  private static double[] follow(DoubleUnaryOperator level) {
    SplittableRandom random = new SplittableRandom(1);
    Drift drift = Drift.NONE;
    double followed = 0;
    double squares = 0;
    int count = 0;
    for (double at = SECONDS; at <= 60; at += SECONDS) {
      drift = drift.afterSeconds(SECONDS, 0);
      double seen = level.applyAsDouble(at) + NOISE * gaussian(random);
      drift = drift.afterWindow(seen - followed, NOISE * NOISE);
      followed += drift.offset();
      drift = drift.without(drift.offset());
      if (at > 10) {
        squares += Math.pow(level.applyAsDouble(at) - followed, 2);
        count++;
      }
    }
    return new double[] {Math.sqrt(squares / count), drift.variance()};
  }

  private static double gaussian(SplittableRandom random) {
    return Math.sqrt(-2 * Math.log(1 - random.nextDouble()))
        * Math.cos(2 * Math.PI * random.nextDouble());
  }

  @Test
  void whatStandsStillIsKnownBetterThanAWindowTells() {
    double[] found = follow(at -> 0);
    assertThat(found[0]).isLessThan(NOISE / 4);
    assertThat(Math.sqrt(found[1])).isLessThan(NOISE / 4);
  }

  /** By 2.5 times in 30 s, 3 % a second: a mean over all windows would be off by half of it. */
  @Test
  void whatWarmsUpIsFollowed() {
    double[] found = follow(at -> Math.log(2.5) * Math.min(1, at / 30));
    assertThat(found[0]).isLessThan(NOISE);
  }

  @Test
  void oneOutlierMovesLittle() {
    Drift drift = Drift.NONE;
    for (int i = 0; i < 60; i++) {
      drift = drift.afterSeconds(SECONDS, 0).afterWindow(0, NOISE * NOISE);
    }
    assertThat(drift.afterSeconds(SECONDS, 0).afterWindow(-1, NOISE * NOISE).offset())
        .isBetween(-NOISE, 0.0);
  }
}
