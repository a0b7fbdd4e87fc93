package io.tidepool.controllers;

/**
 * What the windows have said about one size.
 *
 * @param index which size of the {@link SizeGrid}
 * @param weight windows with the {@linkplain Noise#USUAL usual} noise that say as much; fades with
 *     time
 * @param level weighted mean of the natural logarithm of the reward
 */
public record Evidence(int index, double weight, double level) {

  /** This evidence and one more window. */
  Evidence and(double moreWeight, double moreLevel) {
    double sum = weight + moreWeight;
    return new Evidence(index, sum, level + (moreLevel - level) * moreWeight / sum);
  }

  /** The same, counting less. */
  Evidence discounted(double factor) {
    return new Evidence(index, weight * factor, level);
  }

  /** The same with the level moved. */
  Evidence moved(double by) {
    return new Evidence(index, weight, level + by);
  }
}
