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
   * Draws {@link ProcessKernel#DRAWS} curves from the distribution, always with the same random
   * numbers.
   *
   * @param places places of the grid, in their order
   * @return levels by curve and place
   */
  double[][] draws(int[] places);
}
