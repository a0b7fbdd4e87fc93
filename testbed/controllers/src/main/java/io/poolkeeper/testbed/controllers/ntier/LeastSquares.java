package io.poolkeeper.testbed.controllers.ntier;

import java.util.Optional;

/**
 * Linear least squares by Householder's QR decomposition, which keeps twice the digits of the
 * normal equations.
 */
final class LeastSquares {

  /** Diagonal elements below this fraction of the largest make the columns dependent. */
  private static final double SINGULAR = 1e-10;

  private LeastSquares() {}

  /**
   * Solves {@code rows * x = right} in the least squares.
   *
   * @param rows as many columns each, at least as many rows as columns
   * @return the coefficients; empty if the rows do not determine them
   */
  static Optional<double[]> solve(double[][] rows, double[] right) {
    int m = rows.length;
    int n = m == 0 ? 0 : rows[0].length;
    if (m < n || n == 0) {
      return Optional.empty();
    }
    double[][] a = new double[m][];
    for (int i = 0; i < m; i++) {
      a[i] = rows[i].clone();
    }
    double[] y = right.clone();
    double[] diagonal = new double[n];
    double largest = 0;
    for (int k = 0; k < n; k++) {
      double norm = 0;
      for (int i = k; i < m; i++) {
        norm = Math.hypot(norm, a[i][k]);
      }
      largest = Math.max(largest, norm);
      if (!(norm > SINGULAR * largest)) {
        return Optional.empty();
      }
      double sign = a[k][k] > 0 ? -norm : norm;
      a[k][k] -= sign;
      diagonal[k] = sign;
      reflect(a, y, k);
    }
    double[] x = new double[n];
    for (int k = n - 1; k >= 0; k--) {
      double sum = y[k];
      for (int j = k + 1; j < n; j++) {
        sum -= a[k][j] * x[j];
      }
      x[k] = sum / diagonal[k];
      if (!Double.isFinite(x[k])) {
        return Optional.empty();
      }
    }
    return Optional.of(x);
  }

  /** Applies the reflection in column {@code k} to the columns after it and to the right side. */
  private static void reflect(double[][] a, double[] y, int k) {
    double square = 0;
    for (int i = k; i < a.length; i++) {
      square += a[i][k] * a[i][k];
    }
    for (int j = k + 1; j <= a[k].length; j++) {
      double dot = 0;
      for (int i = k; i < a.length; i++) {
        dot += a[i][k] * (j < a[i].length ? a[i][j] : y[i]);
      }
      double factor = 2 * dot / square;
      for (int i = k; i < a.length; i++) {
        if (j < a[i].length) {
          a[i][j] -= factor * a[i][k];
        } else {
          y[i] -= factor * a[i][k];
        }
      }
    }
  }
}
