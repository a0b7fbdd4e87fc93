package io.poolkeeper.testbed.tunnel.plant;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/**
 * Rate of a plant: how many tasks a second it completes in all, by how many it serves at the same
 * time, from 1 to {@link #LARGEST}.
 */
public final class Curve {

  /** The largest size that a pool in the tunnel may be given. */
  public static final int LARGEST = 256;

  /** Rates that differ by less than this fraction are equally good. */
  public static final double EQUAL = 0.001;

  private static final double ROUNDING = 1e-12;

  private final double[] rates = new double[LARGEST + 1];
  private final double capacity;
  private final int best;

  /**
   * @param rate completions per second of a number of tasks in service, 1 or more; positive
   */
  public Curve(IntToDoubleFunction rate) {
    double most = 0;
    for (int k = 1; k <= LARGEST; k++) {
      rates[k] = rate.applyAsDouble(k);
      if (!(rates[k] > 0)) {
        throw new IllegalArgumentException(
            "rate of %d must be > 0, but is %s".formatted(k, rates[k]));
      }
      most = Math.max(most, rates[k]);
    }
    capacity = most;
    best = smallestWith(most * (1 - EQUAL));
  }

  /** Completions per second with {@code k} tasks in service; 0 for none. */
  public double at(int k) {
    return rates[k];
  }

  /** The smallest number of tasks in service that completes as good as most. */
  public int best() {
    return best;
  }

  /** The most that are completed per second. */
  public double capacity() {
    return capacity;
  }

  /** The most that are completed per second with up to {@code largest} tasks in service. */
  public double capacity(int largest) {
    return Arrays.stream(rates, 1, largest + 1).max().orElseThrow();
  }

  /** The smallest number of tasks in service that completes at least {@code rate} a second. */
  public int smallestWith(double rate) {
    for (int k = 1; k <= LARGEST; k++) {
      // A rate that is a product may be a last bit above the one that is meant.
      if (rates[k] >= rate * (1 - ROUNDING)) {
        return k;
      }
    }
    throw new IllegalArgumentException(
        "%s a second are above the capacity of %s".formatted(rate, capacity));
  }
}
