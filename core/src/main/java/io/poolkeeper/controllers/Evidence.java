package io.poolkeeper.controllers;

/**
 * What the windows have said about one size.
 *
 * @param index which size of the {@link SizeGrid}
 * @param weight windows with the {@linkplain Noise#USUAL usual} noise that say as much; fades with
 *     time
 * @param level weighted mean of the natural logarithm of the reward
 * @param cost of a task
 */
public record Evidence(int index, double weight, double level, Cost cost) {

  /** This evidence and one more window. */
  Evidence and(double moreWeight, double moreLevel, Cost moreCost) {
    double share = moreWeight / (weight + moreWeight);
    return new Evidence(
        index, weight + moreWeight, level + (moreLevel - level) * share, cost.and(moreCost, share));
  }

  /** The same, counting less. */
  Evidence discounted(double factor) {
    return new Evidence(index, weight * factor, level, cost);
  }

  /** The same with the level moved. */
  Evidence moved(double by) {
    return new Evidence(index, weight, level + by, cost);
  }
}
