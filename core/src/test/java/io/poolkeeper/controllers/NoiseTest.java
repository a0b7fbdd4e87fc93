package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class NoiseTest {

  private static final double COUNT = Noise.ofCount(1000);

  @Test
  void manyDifferencesTellBursts() {
    Random random = new Random(1);
    Noise bursts = Noise.INITIAL;
    Noise independent = Noise.INITIAL;
    double level = 0;
    for (int window = 0; window < 400; window++) {
      level = 0.9 * level + Math.sqrt(1 - 0.81) * 0.3 * random.nextGaussian();
      bursts = bursts.plus(10, level, COUNT);
      independent = independent.plus(10, 0.3 * random.nextGaussian(), COUNT);
    }
    assertThat(bursts.lasting()).isGreaterThan(4 * bursts.variance());
    assertThat(independent.lasting()).isLessThan(1.5 * independent.variance());
  }

  @Test
  void aMovementMayBeABurstOnlyWhereTheNoiseIsAsLarge() {
    assertThat(Noise.INITIAL.chanceOfBurst(-0.3)).as("steady").isZero();
    Random random = new Random(2);
    Noise bursts = Noise.INITIAL;
    double level = 0;
    for (int window = 0; window < 200; window++) {
      level = 0.8 * level + 0.6 * 0.4 * random.nextGaussian();
      bursts = bursts.plus(10, level, COUNT);
    }
    double deviation = Math.sqrt(bursts.lasting());
    assertThat(bursts.chanceOfBurst(-2 * deviation)).isGreaterThan(0.8);
    assertThat(bursts.chanceOfBurst(2 * deviation)).isGreaterThan(0.8);
    assertThat(bursts.chanceOfBurst(-15 * deviation)).as("far beyond it").isLessThan(0.01);
  }
}
