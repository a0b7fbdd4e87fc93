package io.poolkeeper.controllers;

/** A normal belief about the logarithm of the reward at all places of the grid. */
interface Curves {

  /** Expected logarithm of the reward at a place of the grid. */
  double mean(int place);

  /** Variance of it. */
  double variance(int place);

  /** Covariance of the logarithms of the reward at two places of the grid. */
  double covariance(int one, int other);

  /**
   * A curve drawn from the belief, at some places of the grid. The same number gives the same
   * curve.
   */
  double[] draw(int number, int[] places);
}
