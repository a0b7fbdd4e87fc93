package io.poolkeeper.testbed.tunnel.drawn;

import java.util.List;
import java.util.Random;

/**
 * Random numbers of one draw. A seed gives the same numbers everywhere, but for the last bit of
 * logarithms and exponentials, which {@link Math} leaves to the processor.
 */
final class Dice {

  private final Random random;

  Dice(long seed) {
    random = new Random(spread(seed));
  }

  /** The finalizer of SplitMix64: the first numbers of neighbouring seeds would be alike. */
  private static long spread(long seed) {
    long z = seed + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  double uniform(double least, double most) {
    return least + (most - least) * random.nextDouble();
  }

  /** A number whose logarithm is uniform. */
  double logUniform(double least, double most) {
    return Math.exp(uniform(Math.log(least), Math.log(most)));
  }

  /** A whole number, both ends included. */
  int whole(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  double gaussian() {
    return random.nextGaussian();
  }

  <T> T pick(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
