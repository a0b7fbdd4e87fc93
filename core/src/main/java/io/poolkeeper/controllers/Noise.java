package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.List;

/**
 * How much the reward of one window differs from that of the next at the same size, beyond what the
 * number of its completions explains. A window at another size than the one before has no neighbour
 * to be compared with; what is surprising about it is put down to noise as far as the other things
 * that were uncertain do not explain it.
 *
 * <p>Windows three apart differ more than neighbours if noise comes in bursts. From the ratio of
 * the two differences follows how much many windows at a size say less than as many independent
 * ones.
 *
 * @param variance of the logarithm of the reward, if neighbours are as alike as usual
 * @param weight windows that it rests on
 * @param far half the mean square of the difference of windows that are {@value #APART} apart
 * @param lastIndex place in the grid of the size of the window before, -1 if it says nothing
 * @param levels logarithms of the reward in the windows before at that size, the latest first
 */
public record Noise(
    double variance, double weight, double far, int lastIndex, List<Double> levels) {

  /** Variance of a window of which nothing else is known, and the unit in which evidence weighs. */
  static final double USUAL = 0.08 * 0.08;

  /** Before anything was seen: 8 %, which counts as five windows. */
  static final Noise INITIAL = new Noise(USUAL, 5, 0.98 * USUAL, -1, List.of());

  /** Distance of the windows whose differences are compared with those of neighbours. */
  private static final int APART = 3;

  /** Ratio of the two differences, where neighbours are as alike as usual. */
  private static final double USUAL_RATIO = 1.27;

  /** Larger ratios by so little are chance. */
  private static final double CHANCE = 0.35;

  /** Correlation of neighbours that is usual, and the largest. */
  private static final double USUAL_CORRELATION = 0.23;

  private static final double LARGEST_CORRELATION = 0.9;

  private static final double SMALLEST = 0.014 * 0.014;

  /** The estimate is a mean over as many windows as this. */
  private static final double MEMORY = 60;

  /** Square of the standard deviations of one surprise, so that no single one decides. */
  private static final double CLIP = 4;

  /** Evidence of few windows must not be upset by an outlier among them: Student's t, 4 degrees. */
  private static final double FREEDOM = 4;

  /** Difference of neighbours to variance, where neighbours are alike. */
  private static final double NEIGHBOURS = 1.3 / 2;

  /**
   * What a window adds to the variance by having few completions; tasks vary less than a Poisson
   * process.
   */
  static double ofCount(double completions) {
    return 0.8 / completions;
  }

  /** Copies the list. */
  public Noise {
    levels = List.copyOf(levels);
  }

  /** After a window that says nothing about noise. */
  Noise skipped() {
    return lastIndex < 0 ? this : new Noise(variance, weight, far, -1, List.of());
  }

  /** Correlation of neighbours: of a noise that fades by a constant factor a window. */
  private double correlation() {
    double ratio = far * NEIGHBOURS * 2 / variance;
    double beyond = Math.min(3, USUAL_RATIO + Math.max(0, ratio - USUAL_RATIO - CHANCE));
    double correlation = (Math.sqrt(4 * beyond - 3) - 1) / 2;
    return Math.min(LARGEST_CORRELATION, correlation);
  }

  /** Variance of the logarithm of the reward of a single window. */
  double single() {
    return variance * (1 - USUAL_CORRELATION) / (1 - correlation());
  }

  /**
   * Variance for which the mean of many windows counts, if neighbours were as alike as usual:
   * larger than that of a single one where noise comes in bursts.
   */
  double lasting() {
    double rho = correlation();
    double usual = (1 + USUAL_CORRELATION) / (1 - USUAL_CORRELATION);
    return single() * Math.max(1, (1 + rho) / (1 - rho) / usual);
  }

  /**
   * After a window at another size than the one before, which still {@linkplain #with follows}; a
   * window at the same size changes nothing.
   *
   * @param off logarithm of what it was above the expected
   * @param known variance of that for other reasons than noise
   */
  Noise surprised(int index, double off, double known, double ofCount) {
    if (index == lastIndex) {
      return this;
    }
    double expected = variance + ofCount + known;
    double share = variance / expected;
    double capped = Math.min(off * off, CLIP * expected);
    double count = Math.min(MEMORY, weight + share);
    double corrected = variance + share * share * (capped - expected) / count;
    return new Noise(Math.max(SMALLEST, corrected), count, far, lastIndex, levels);
  }

  /** After another window. */
  Noise with(int index, double level, double ofCount) {
    if (index != lastIndex) {
      return new Noise(variance, weight, far, index, List.of(level));
    }
    double count = Math.min(MEMORY, weight + 1);
    double seen = seen(level - levels.get(0), 2 * NEIGHBOURS, ofCount);
    double farther = far;
    if (levels.size() == APART) {
      farther += (seen(level - levels.get(APART - 1), 1, ofCount) - far) / count;
    }
    List<Double> latest = new ArrayList<>(APART);
    latest.add(level);
    latest.addAll(levels.subList(0, Math.min(levels.size(), APART - 1)));
    double corrected = variance + (seen - variance) / count;
    return new Noise(
        Math.max(SMALLEST, corrected), count, Math.max(SMALLEST, farther), index, latest);
  }

  /** Variance that a difference shows, without what counting explains; no outlier decides. */
  private double seen(double difference, double factor, double ofCount) {
    double square = difference * difference / 2 * factor;
    return Math.max(0, Math.min(square, 9 * (variance + ofCount)) - ofCount);
  }

  /**
   * Weight of a window as evidence, against one without noise of counting at a size that binds.
   *
   * @param countNoise variance of the count
   * @param blur standard deviation due to how it was gathered
   * @param off how far off it is, in standard deviations: an outlier counts less
   */
  double weight(double countNoise, double blur, double off) {
    double all = lasting() + countNoise + blur * blur;
    return USUAL / all * Math.min(1, (FREEDOM + 1) / (FREEDOM + off * off));
  }
}
