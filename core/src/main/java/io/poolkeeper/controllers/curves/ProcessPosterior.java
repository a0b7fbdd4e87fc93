package io.poolkeeper.controllers.curves;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Response curves that are drawn from a Gaussian process, given the evidence. The level that all
 * sizes share has a flat prior and is integrated out.
 */
final class ProcessPosterior implements CurveDistribution {

  /** Standard normal numbers for the noise of the evidence, the same for every posterior. */
  private static final double[][] NORMALS = Normals.table(SizeGrid.COUNT, ProcessKernel.DRAWS, 2);

  /** Posterior at a place of the grid. */
  private static final class Point {
    private final double[] solved;
    private final double ofLevel;
    private final double mean;
    private final double variance;

    /**
     * @param solved solution of the equations for the place
     * @param ofLevel part of the level in the place that the evidence leaves open
     */
    private Point(double[] solved, double ofLevel, double mean, double variance) {
      this.solved = solved;
      this.ofLevel = ofLevel;
      this.mean = mean;
      this.variance = variance;
    }
  }

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
  private final @Nullable Point[] points = new Point[SizeGrid.COUNT];

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

  /** Returns the posterior at a place of the grid, cached. */
  private Point at(int place) {
    Point point = points[place];
    if (point == null) {
      point = solve(place);
      points[place] = point;
    }
    return point;
  }

  private Point solve(int place) {
    double[] row = kernel.covariance(place);
    double[] right = new double[index.length];
    for (int j = 0; j < right.length; j++) {
      right[j] = row[index[j]];
    }
    double[] solved = root.solve(right);
    double ofLevel = 1 - Cholesky.dot(solved, ones);
    return new Point(
        solved,
        ofLevel,
        constant + Cholesky.dot(solved, weights),
        row[place] - Cholesky.dot(solved, solved) + ofLevel * ofLevel / sumOfOnes);
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
    return at(place).mean;
  }

  @Override
  public double variance(int place) {
    return at(place).variance;
  }

  @Override
  public double covariance(int place, int other) {
    Point here = at(place);
    Point there = at(other);
    return kernel.covariance(place)[other]
        - Cholesky.dot(here.solved, there.solved)
        + here.ofLevel * there.ofLevel / sumOfOnes;
  }

  /** Bends the curves of the prior so that they meet the evidence (Matheron's rule). */
  @Override
  public double[][] draws(int[] places) {
    double[][] bend = new double[index.length][ProcessKernel.DRAWS];
    double[] shift = new double[ProcessKernel.DRAWS];
    bend(bend, shift);
    double[][] drawn = new double[ProcessKernel.DRAWS][places.length];
    for (int i = 0; i < places.length; i++) {
      double[] solved = at(places[i]).solved;
      double[] prior = kernel.draws(places[i]);
      double[] sum = new double[ProcessKernel.DRAWS];
      for (int j = 0; j < solved.length; j++) {
        Cholesky.add(sum, solved[j], bend[j]);
      }
      for (int d = 0; d < drawn.length; d++) {
        drawn[d][i] = prior[d] + shift[d] + sum[d];
      }
    }
    return drawn;
  }

  /**
   * Works out the bends of all curves.
   *
   * @param bend by place with evidence and curve
   * @param shift of the level, by curve
   */
  private void bend(double[][] bend, double[] shift) {
    for (int j = 0; j < bend.length; j++) {
      double[] prior = kernel.draws(index[j]);
      double[] normals = NORMALS[index[j]];
      double deviation = Math.sqrt(noise[j]);
      for (int d = 0; d < prior.length; d++) {
        bend[j][d] = level[j] - prior[d] - normals[d] * deviation;
      }
    }
    root.solveColumns(bend);
    for (int j = 0; j < bend.length; j++) {
      Cholesky.add(shift, ones[j], bend[j]);
    }
    for (int d = 0; d < shift.length; d++) {
      shift[d] /= sumOfOnes;
    }
    for (int j = 0; j < bend.length; j++) {
      Cholesky.add(bend[j], -ones[j], shift);
    }
  }
}
