package io.tidepool.controllers;

/**
 * How much the reward of one window differs from that of the next at the same size, beyond what the
 * number of its completions explains. A window at another size than the one before has no neighbour
 * to be compared with; what is surprising about it is put down to noise as far as the other things
 * that were uncertain do not explain it.
 *
 * @param variance of the logarithm of the reward
 * @param weight windows that it rests on
 * @param lastIndex place in the grid of the size of the window before, -1 if it says nothing
 * @param lastLevel logarithm of the reward in the window before
 */
public record Noise(double variance, double weight, int lastIndex, double lastLevel) {

  /** Variance of a window of which nothing else is known, and the unit in which evidence weighs. */
  static final double USUAL = 0.08 * 0.08;

  /** Before anything was seen: 8 %, which counts as five windows. */
  static final Noise INITIAL = new Noise(USUAL, 5, -1, 0);

  private static final double SMALLEST = 0.014 * 0.014;

  /** The estimate is a mean over as many windows as this. */
  private static final double MEMORY = 60;

  /** Square of the standard deviations of one surprise, so that no single one decides. */
  private static final double CLIP = 4;

  /** Difference of neighbours to variance, where neighbours are alike. */
  private static final double NEIGHBOURS = 1.3 / 2;

  /**
   * What a window adds to the variance by having few completions; tasks vary less than a Poisson
   * process.
   */
  static double ofCount(double completions) {
    return 0.8 / completions;
  }

  /** After a window that says nothing about noise. */
  Noise skipped() {
    return lastIndex < 0 ? this : new Noise(variance, weight, -1, 0);
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
    return new Noise(Math.max(SMALLEST, corrected), count, lastIndex, lastLevel);
  }

  /** After another window. */
  Noise with(int index, double level, double ofCount) {
    if (index != lastIndex) {
      return new Noise(variance, weight, index, level);
    }
    double difference = level - lastLevel;
    // One outlier must not blow the estimate up.
    double capped = Math.min(difference * difference * NEIGHBOURS, 9 * (variance + ofCount));
    double seen = Math.max(0, capped - ofCount);
    double count = Math.min(MEMORY, weight + 1);
    return new Noise(Math.max(SMALLEST, variance + (seen - variance) / count), count, index, level);
  }
}
