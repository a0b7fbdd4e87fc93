package io.poolkeeper.controllers.curves;

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
  public double[] draw(int number, int[] places) {
    double[] drawn = below.draw(number, places);
    double[] drawnAbove = above.draw(number, places);
    for (int i = 0; i < places.length; i++) {
      if (places[i] >= first) {
        drawn[i] = drawnAbove[i];
      }
    }
    return drawn;
  }
}
