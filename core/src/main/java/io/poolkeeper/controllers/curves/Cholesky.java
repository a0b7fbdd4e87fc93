package io.poolkeeper.controllers.curves;

/** Triangular factor of a covariance matrix, with the solutions of its equations. */
final class Cholesky {

  /** Keeps a matrix whose last digits are rounded away positive definite. */
  private static final double JITTER = 1e-10;

  private final double[][] factor;

  /**
   * @param covariance symmetric and positive definite; only its lower half is read
   */
  Cholesky(double[][] covariance) {
    int n = covariance.length;
    factor = new double[n][];
    for (int i = 0; i < n; i++) {
      double[] row = new double[n];
      for (int j = 0; j <= i; j++) {
        double[] other = j == i ? row : factor[j];
        double sum = covariance[i][j];
        for (int k = 0; k < j; k++) {
          sum -= row[k] * other[k];
        }
        row[j] = i == j ? Math.sqrt(Math.max(JITTER, sum)) : sum / other[j];
      }
      factor[i] = row;
    }
  }

  /** Returns the lower triangular factor; not to be written to. */
  double[][] factor() {
    return factor;
  }

  /** Returns half the logarithm of the determinant. */
  double halfLogDeterminant() {
    double sum = 0;
    for (int i = 0; i < factor.length; i++) {
      sum += StrictMath.log(factor[i][i]);
    }
    return sum;
  }

  /** Solves {@code factor * x = right}. */
  double[] solve(double[] right) {
    double[] x = new double[factor.length];
    for (int i = 0; i < x.length; i++) {
      double[] row = factor[i];
      double sum = right[i];
      for (int k = 0; k < i; k++) {
        sum -= row[k] * x[k];
      }
      x[i] = sum / row[i];
    }
    return x;
  }

  /** Solves the equations for several right sides, by row and column, in their place. */
  void solveColumns(double[][] right) {
    for (int i = 0; i < right.length; i++) {
      double[] row = factor[i];
      double[] x = right[i];
      for (int k = 0; k < i; k++) {
        add(x, -row[k], right[k]);
      }
      for (int column = 0; column < x.length; column++) {
        x[column] /= row[i];
      }
    }
  }

  /** Adds a multiple of a vector to a sum. */
  static void add(double[] sum, double factor, double[] vector) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] += factor * vector[i];
    }
  }

  /** Returns the scalar product. */
  static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
