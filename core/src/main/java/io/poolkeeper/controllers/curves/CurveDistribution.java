package io.poolkeeper.controllers.curves;

/** A normal distribution of the logarithm of the reward at all places of the grid. */
interface CurveDistribution {

  /** Returns the expected logarithm of the reward at a place of the grid. */
  double mean(int place);

  /** Returns the variance of the logarithm of the reward. */
  double variance(int place);

  /** Returns the covariance of the logarithms of the reward at two places of the grid. */
  double covariance(int place, int other);

  /**
   * Draws a curve from the distribution, at some places of the grid. The same number gives the same
   * curve.
   */
  double[] draw(int number, int[] places);
}
