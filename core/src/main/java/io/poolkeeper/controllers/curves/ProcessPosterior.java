package io.poolkeeper.controllers.curves;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Response curves that are drawn from a Gaussian process, given the evidence. The level that all
 * sizes share has a flat prior and is integrated out.
 */
final class ProcessPosterior implements CurveDistribution {

  /** Standard normal numbers for the noise of the evidence, the same for every posterior. */
  private static final double[][] NORMALS = Normals.table(ProcessKernel.DRAWS, SizeGrid.COUNT, 2);

  private final ProcessKernel kernel;
  private final int[] index;
  private final double[] level;
  private final double[] noise;
  private final Cholesky root;
  private final double[] ones;
  private final double sumOfOnes;
  private final double logEvidence;
  private final double[] weights;
  private final double constant;
  private final double[] @Nullable [] solved = new double[SizeGrid.COUNT][];

  /**
   * @param index places of the grid with evidence, at least a single place
   * @param level logarithm of the reward at each
   * @param noise variance of each
   */
  ProcessPosterior(ProcessKernel kernel, int[] index, double[] level, double[] noise) {
    this.kernel = kernel;
    this.index = index;
    this.level = level;
    this.noise = noise;
    int n = index.length;
    double[][] covariance = new double[n][n];
    for (int i = 0; i < n; i++) {
      double[] row = kernel.covariance(index[i]);
      for (int j = 0; j <= i; j++) {
        covariance[i][j] = row[index[j]] + (i == j ? noise[i] : 0);
      }
    }
    root = new Cholesky(covariance);
    double[] constants = new double[n];
    Arrays.fill(constants, 1);
    ones = root.solve(constants);
    sumOfOnes = Cholesky.dot(ones, ones);
    weights = root.solve(level);
    constant = withoutConstant(weights);
    logEvidence =
        -Cholesky.dot(weights, weights) / 2
            - root.halfLogDeterminant()
            - StrictMath.log(sumOfOnes) / 2;
  }

  /** Returns the solution of the equations for a place of the grid, cached. */
  private double[] solved(int place) {
    if (solved[place] == null) {
      double[] row = kernel.covariance(place);
      double[] right = new double[index.length];
      for (int j = 0; j < right.length; j++) {
        right[j] = row[index[j]];
      }
      solved[place] = root.solve(right);
    }
    return solved[place];
  }

  /** Takes the level that fits best out of a solved vector, and returns it. */
  private double withoutConstant(double[] solvedVector) {
    double fitted = Cholesky.dot(ones, solvedVector) / sumOfOnes;
    for (int j = 0; j < solvedVector.length; j++) {
      solvedVector[j] -= fitted * ones[j];
    }
    return fitted;
  }

  /** Returns the logarithm of the marginal likelihood, up to a constant that priors share. */
  double logEvidence() {
    return logEvidence;
  }

  @Override
  public double mean(int place) {
    return constant + Cholesky.dot(solved(place), weights);
  }

  @Override
  public double variance(int place) {
    return covariance(place, place);
  }

  @Override
  public double covariance(int place, int other) {
    double ofLevel = 1 - Cholesky.dot(solved(place), ones);
    double ofLevelThere = 1 - Cholesky.dot(solved(other), ones);
    return kernel.covariance(place)[other]
        - Cholesky.dot(solved(place), solved(other))
        + ofLevel * ofLevelThere / sumOfOnes;
  }

  /** Bends a curve of the prior so that it meets the evidence (Matheron's rule). */
  @Override
  public double[] draw(int number, int[] places) {
    double[] prior = kernel.draw(number);
    double[] missing = new double[index.length];
    for (int j = 0; j < missing.length; j++) {
      double error = NORMALS[number][index[j]] * Math.sqrt(noise[j]);
      missing[j] = level[j] - prior[index[j]] - error;
    }
    double[] bend = root.solve(missing);
    double shift = withoutConstant(bend);
    double[] drawn = new double[places.length];
    for (int i = 0; i < drawn.length; i++) {
      drawn[i] = prior[places[i]] + shift + Cholesky.dot(solved(places[i]), bend);
    }
    return drawn;
  }
}
