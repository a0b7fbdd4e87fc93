package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;
import java.util.ArrayList;
import java.util.List;

/**
 * Noise of windows: the difference between the rewards of neighbouring windows at the same size,
 * beyond that of counting completions. A window after a resize has no neighbour to compare with;
 * the part of its surprise that other uncertainties do not explain counts as noise.
 *
 * <p>Windows three apart differ more than neighbours if noise comes in bursts. The ratio of the two
 * differences tells how much less informative many windows are than independent ones.
 *
 * @param variance of the logarithm of the reward, if neighbours are as alike as usual
 * @param weight number of windows behind it
 * @param far half the mean square of the difference of windows that are three apart
 * @param lastIndex place in the grid of the size of the window before, -1 for none
 * @param levels logarithms of the reward in the windows before at that size, the latest first
 */
record Noise(double variance, double weight, double far, int lastIndex, List<Double> levels) {

  /** Variance of a window of which nothing else is known, and the unit of evidence. */
  static final double USUAL = Tuning.USUAL_NOISE * Tuning.USUAL_NOISE;

  /** The usual noise, with a usual ratio of the two differences. */
  static final Noise INITIAL =
      new Noise(USUAL, Tuning.USUAL_NOISE_WEIGHT, 0.98 * USUAL, -1, List.of());

  /** Distance of the windows whose differences are compared with those of neighbours. */
  private static final int APART = 3;

  private static final double SMALLEST = Tuning.LEAST_NOISE * Tuning.LEAST_NOISE;

  /** Half the variance of a window against half the square of a difference of neighbours. */
  private static final double NEIGHBOURS = Tuning.NEIGHBOUR_VARIANCE / 2;

  /**
   * Returns the variance due to the number of completions; tasks vary less than a Poisson process.
   */
  static double ofCount(double completions) {
    return Tuning.COUNT_NOISE / completions;
  }

  Noise {
    levels = List.copyOf(levels);
  }

  /** Skips a window that is not informative about noise. */
  Noise skipped() {
    return lastIndex < 0 ? this : new Noise(variance, weight, far, -1, List.of());
  }

  /**
   * Skips a window in which the size did not bind: it may tell about the level, not about noise.
   */
  Noise skippedAt(int index) {
    return new Noise(variance, weight, far, index, List.of());
  }

  /** Returns the mean rise of the level from window to window at the last size; 0 if unknown. */
  double rise() {
    int steps = levels.size() - 1;
    return steps < 1 ? 0 : (levels.get(0) - levels.get(steps)) / steps;
  }

  /** Returns the correlation of neighbours, of a noise that fades by a constant factor a window. */
  private double correlation() {
    double ratio = far * NEIGHBOURS * 2 / variance;
    double beyond =
        Math.min(
            3,
            Tuning.USUAL_NOISE_RATIO
                + Math.max(0, ratio - Tuning.USUAL_NOISE_RATIO - Tuning.NOISE_RATIO_CHANCE));
    double correlation = (Math.sqrt(4 * beyond - 3) - 1) / 2;
    return Math.min(Tuning.LARGEST_CORRELATION, correlation);
  }

  /** Returns the variance of the logarithm of the reward of a single window. */
  double single() {
    return variance * (1 - Tuning.USUAL_CORRELATION) / (1 - correlation());
  }

  /**
   * Returns the variance for which the mean of many windows counts, if neighbours were as alike as
   * usual: larger than that of a single window where noise comes in bursts.
   */
  double lasting() {
    double rho = correlation();
    double usual = (1 + Tuning.USUAL_CORRELATION) / (1 - Tuning.USUAL_CORRELATION);
    return single() * Math.max(1, (1 + rho) / (1 - rho) / usual);
  }

  /**
   * Returns the trust, 0 to 1, that a movement of the level is noise in bursts: the noise must be
   * large, and the movement not much larger.
   *
   * @param movement of the logarithm of the reward
   */
  double chanceOfBurst(double movement) {
    double deviation = Math.sqrt(lasting());
    double bursts = (deviation - Tuning.STEADY_NOISE) / (Tuning.BURSTY_NOISE - Tuning.STEADY_NOISE);
    double reach = movement / deviation / Tuning.BURST_DEVIATION;
    return Math.max(0, Math.min(1, bursts)) * StrictMath.exp(-reach * reach);
  }

  /**
   * Follows the surprise of a window after a resize, before {@link #plus}; a window at the same
   * size changes nothing.
   *
   * @param surprise logarithm of the reward minus the expectation
   * @param explained variance of the surprise for other reasons than noise
   */
  Noise afterSurprise(int index, double surprise, double explained, double ofCount) {
    if (index == lastIndex) {
      return this;
    }
    double expected = variance + ofCount + explained;
    double share = variance / expected;
    double capped = Math.min(surprise * surprise, Tuning.NOISE_CLIP * expected);
    double count = Math.min(Tuning.NOISE_MEMORY, weight + share);
    double corrected = variance + share * share * (capped - expected) / count;
    return new Noise(Math.max(SMALLEST, corrected), count, far, lastIndex, levels);
  }

  /** Follows a window. */
  Noise plus(int index, double level, double ofCount) {
    if (index != lastIndex || levels.isEmpty()) {
      return new Noise(variance, weight, far, index, List.of(level));
    }
    double count = Math.min(Tuning.NOISE_MEMORY, weight + 1);
    double near = clippedVariance(level - levels.get(0), 2 * NEIGHBOURS, ofCount);
    double farther = far;
    if (levels.size() == APART) {
      farther += (clippedVariance(level - levels.get(APART - 1), 1, ofCount) - far) / count;
    }
    List<Double> latest = new ArrayList<>(APART);
    latest.add(level);
    latest.addAll(levels.subList(0, Math.min(levels.size(), APART - 1)));
    double corrected = variance + (near - variance) / count;
    return new Noise(
        Math.max(SMALLEST, corrected), count, Math.max(SMALLEST, farther), index, latest);
  }

  /** Returns the variance that a difference shows, without that of counting, clipped. */
  private double clippedVariance(double difference, double factor, double ofCount) {
    double square = difference * difference / 2 * factor;
    return Math.max(0, Math.min(square, Tuning.DIFFERENCE_CLIP * (variance + ofCount)) - ofCount);
  }

  /**
   * Returns the weight of a window as evidence; a window with the usual noise alone has 1.
   *
   * @param countNoise variance of the count
   * @param blur standard deviation because its concurrency was not constant
   * @param deviation standard deviations from the expectation: an outlier counts less
   */
  double weight(double countNoise, double blur, double deviation) {
    double all = lasting() + countNoise + blur * blur;
    return USUAL
        / all
        * Math.min(
            1, (Tuning.OUTLIER_FREEDOM + 1) / (Tuning.OUTLIER_FREEDOM + deviation * deviation));
  }
}
