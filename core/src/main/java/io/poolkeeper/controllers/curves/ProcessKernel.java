package io.poolkeeper.controllers.curves;

/**
 * Gaussian processes over the logarithm of the size, from smooth to rough: priors for response
 * curves that are none of the {@link CurveShapes}. The covariance of the logarithm of the reward at
 * two sizes whose logarithms are {@code d} apart is the sum of
 *
 * <ul>
 *   <li>a slope, linear in the logarithm of the size;
 *   <li>a smooth part, {@code smooth² exp(-d² / 2 length²)};
 *   <li>a rough part, {@code rough² exp(-d / rough length)}, which has kinks;
 *   <li>a part of each size alone, {@code own²}: cliffs, combs and steps.
 * </ul>
 *
 * <p>The level that all sizes share is no part of it: it has a flat prior. (Rasmussen and Williams,
 * Gaussian Processes for Machine Learning, 2006, chapters 2, 4 and 5.)
 */
enum ProcessKernel {
  SMOOTH(0.8, 0.8, 0.1, 0.02),
  BENT(0.8, 1.0, 0.3, 0.03),
  ROUGH(0.8, 1.0, 0.6, 0.05),
  BROKEN(0.5, 1.0, 0.6, 0.3);

  /** Curves that are drawn from each prior once, and then bent to the evidence. */
  static final int DRAWS = 32;

  @SuppressWarnings("ImmutableEnumChecker") // Filled once, and read only here.
  private final double[][] covariance = new double[SizeGrid.COUNT][SizeGrid.COUNT];

  @SuppressWarnings("ImmutableEnumChecker")
  private final double[][] draws = new double[SizeGrid.COUNT][DRAWS];

  ProcessKernel(double smooth, double length, double rough, double own) {
    for (int i = 0; i < SizeGrid.COUNT; i++) {
      double x = logarithm(i);
      for (int j = 0; j < SizeGrid.COUNT; j++) {
        double y = logarithm(j);
        double d = Math.abs(x - y);
        covariance[i][j] =
            Tuning.PROCESS_SLOPE * Tuning.PROCESS_SLOPE * x * y
                + smooth * smooth * StrictMath.exp(-d * d / (2 * length * length))
                + rough * rough * StrictMath.exp(-d / Tuning.ROUGH_LENGTH)
                + (i == j ? own * own : 0);
      }
    }
    draw();
  }

  /**
   * Returns the logarithm of the size at a place of the grid, 0 in the middle of the usual sizes.
   */
  private static double logarithm(int index) {
    return StrictMath.log(SizeGrid.size(index) / 16.0);
  }

  private void draw() {
    double[][] root = new Cholesky(covariance).factor();
    double[][] normals = Normals.table(SizeGrid.COUNT, DRAWS, 1);
    for (int i = 0; i < SizeGrid.COUNT; i++) {
      for (int j = 0; j <= i; j++) {
        Cholesky.add(draws[i], root[i][j], normals[j]);
      }
    }
  }

  /** Returns the covariances of a place of the grid with all; not to be written to. */
  double[] covariance(int index) {
    return covariance[index];
  }

  /** Returns the curves drawn from the prior, at a place of the grid; not to be written to. */
  double[] draws(int index) {
    return draws[index];
  }
}
