package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;

/**
 * Evidence of the windows at a size.
 *
 * @param index place of the size in the {@link SizeGrid}
 * @param weight number of windows with the {@linkplain Noise#USUAL usual} noise that would be as
 *     informative; fades with time
 * @param level weighted mean of the natural logarithm of the reward
 * @param moved movement of the level of all sizes since the last window at this size
 * @param cost of a task
 */
record Evidence(int index, double weight, double level, double moved, TaskCost cost) {

  /** Adds a window. */
  Evidence plus(double moreWeight, double moreLevel, TaskCost moreCost) {
    double share = moreWeight / (weight + moreWeight);
    return new Evidence(
        index,
        weight + moreWeight,
        level + (moreLevel - level) * share,
        0,
        cost.follow(moreCost, share));
  }

  /** Reduces the weight. */
  Evidence discounted(double factor) {
    return new Evidence(index, weight * factor, level, moved, cost);
  }

  /** Moves the level. */
  Evidence shifted(double shift) {
    return new Evidence(index, weight, level + shift, moved + shift, cost);
  }

  /** Returns the logarithm of the most that each worker may do. */
  double mostOfEach() {
    return level + 2 * Math.sqrt(variance()) - StrictMath.log(SizeGrid.size(index));
  }

  /** Returns the variance of the level. A movement may have been that of another size alone. */
  double variance() {
    double doubt = Tuning.MOVEMENT_DOUBT * moved;
    return Tuning.CORRELATION * Noise.USUAL / weight + doubt * doubt;
  }
}
