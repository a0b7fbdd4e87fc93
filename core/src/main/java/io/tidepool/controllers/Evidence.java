package io.tidepool.controllers;

/**
 * What the windows have said about one size.
 *
 * @param index which size of the {@link SizeGrid}
 * @param weight windows, each counted by how much it can say and fading with time
 * @param level weighted mean of the natural logarithm of the reward
 * @param at weighted mean of when it was seen, seconds of the controller's own time
 */
public record Evidence(int index, double weight, double level, double at) {

  /** This evidence and one more window. */
  Evidence and(double moreWeight, double moreLevel, double moreAt) {
    double sum = weight + moreWeight;
    double share = moreWeight / sum;
    return new Evidence(
        index, sum, level + (moreLevel - level) * share, at + (moreAt - at) * share);
  }

  /** The same, counting less, and as if it had been seen later. */
  Evidence discounted(double factor, double later) {
    return new Evidence(index, weight * factor, level, at + later);
  }
}
