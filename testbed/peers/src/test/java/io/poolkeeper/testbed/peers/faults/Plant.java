package io.poolkeeper.testbed.peers.faults;

import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;

/**
 * Model of what is behind a pool, by a formula: closed users without think time, and how many tasks
 * a second {@code n} busy workers end. Noise is drawn anew every second.
 */
final class Plant {

  private final int users;
  private final IntToDoubleFunction curve;
  private final double noise;
  private final boolean dropsAll;
  private final SplittableRandom random = new SplittableRandom(1);
  private double factor = 1;

  /**
   * @param users tasks that are there at any time
   * @param curve tasks ended per second, by busy workers
   * @param noise standard deviation of a second's throughput, as a fraction
   * @param dropsAll whether every task is given up in the end
   */
  Plant(int users, IntToDoubleFunction curve, double noise, boolean dropsAll) {
    this.users = users;
    this.curve = curve;
    this.noise = noise;
    this.dropsAll = dropsAll;
  }

  void nextSecond() {
    factor = Math.max(0.1, 1 + noise * random.nextGaussian());
  }

  int users() {
    return users;
  }

  int busy(int size) {
    return Math.min(users, size);
  }

  double perSecond(int busy) {
    return factor * curve.applyAsDouble(busy);
  }

  boolean dropsAll() {
    return dropsAll;
  }
}
