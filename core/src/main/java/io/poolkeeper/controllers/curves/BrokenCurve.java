package io.poolkeeper.controllers.curves;

import java.util.Arrays;

/**
 * Curves with a break: what is seen on one side of it says nothing about the other side. It stands
 * for a limit at which the reward falls or rises at once, such as a full memory or a pool behind
 * this one.
 */
final class BrokenCurve implements CurveDistribution {

  private final CurveDistribution below;
  private final CurveDistribution above;
  private final int first;

  /**
   * @param first place of the grid from which on {@code above} holds
   */
  BrokenCurve(CurveDistribution below, CurveDistribution above, int first) {
    this.below = below;
    this.above = above;
    this.first = first;
  }

  private CurveDistribution at(int place) {
    return place < first ? below : above;
  }

  @Override
  public double mean(int place) {
    return at(place).mean(place);
  }

  @Override
  public double variance(int place) {
    return at(place).variance(place);
  }

  @Override
  public double covariance(int place, int other) {
    return at(place) == at(other) ? at(place).covariance(place, other) : 0;
  }

  @Override
  public double[][] draws(int[] places) {
    int split = 0;
    while (split < places.length && places[split] < first) {
      split++;
    }
    double[][] drawnBelow = below.draws(Arrays.copyOf(places, split));
    double[][] drawnAbove = above.draws(Arrays.copyOfRange(places, split, places.length));
    double[][] drawn = new double[drawnBelow.length][];
    for (int d = 0; d < drawn.length; d++) {
      drawn[d] = Arrays.copyOf(drawnBelow[d], places.length);
      for (int i = split; i < places.length; i++) {
        drawn[d][i] = drawnAbove[d][i - split];
      }
    }
    return drawn;
  }
}
