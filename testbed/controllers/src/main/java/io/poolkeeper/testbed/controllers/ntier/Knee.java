package io.poolkeeper.testbed.controllers.ntier;

import io.poolkeeper.testbed.controllers.ntier.Scatter.Group;
import java.util.List;
import java.util.Optional;

/**
 * Knee of a curve of rates over concurrency (Satopaa and others, Finding a "Kneedle" in a Haystack,
 * ICDCS workshops 2011): a polynomial through the groups, both axes normalised to 0..1, and the
 * place where {@code y - x} is largest.
 *
 * @param concurrency the knee
 * @param rate the polynomial there
 * @param lastRate the polynomial at the largest concurrency
 * @param degree of the polynomial
 * @param distance largest {@code y - x}, from 0 for a line to below 1
 */
record Knee(int concurrency, double rate, double lastRate, int degree, double distance) {

  static final int LEAST_DEGREE = 5;
  static final int LARGEST_DEGREE = 8;

  /** Part of the error by which a larger degree must be better. */
  private static final double DRAW = 1e-6;

  /** Square of the error of a fit that is exact, as a part of the square of the rates. */
  private static final double ROUNDING = 1e-20;

  /**
   * Finds the knee.
   *
   * @return empty if there are fewer groups than coefficients of degree 5, or the curve is flat
   */
  static Optional<Knee> of(List<Group> groups) {
    Optional<Knee> best = Optional.empty();
    double least = Double.POSITIVE_INFINITY;
    double largest = groups.stream().mapToDouble(group -> Math.abs(group.rate())).max().orElse(0);
    double rounding = ROUNDING * largest * largest;
    int most = Math.min(LARGEST_DEGREE, groups.size() - 1);
    for (int degree = LEAST_DEGREE; degree <= most; degree++) {
      Optional<Polynomial> fitted = Polynomial.fit(groups, degree);
      // Per degree of freedom, since a larger degree always comes nearer; the smaller wins a draw.
      double error =
          Math.max(rounding, fitted.map(each -> each.errorPerFreedom(groups)).orElse(least));
      if (error < least * (1 - DRAW)) {
        best = fitted.flatMap(Polynomial::knee);
        least = error;
      }
    }
    return best;
  }

  /** A polynomial in {@code (n - centre) / scale}, which lies within -1..1. */
  static final class Polynomial {

    private final int first;
    private final int last;
    private final double centre;
    private final double scale;
    private final double[] coefficients;

    private Polynomial(int first, int last, double centre, double scale, double[] coefficients) {
      this.first = first;
      this.last = last;
      this.centre = centre;
      this.scale = scale;
      this.coefficients = coefficients;
    }

    /** Fits by least squares; a group counts as often as it has points. */
    static Optional<Polynomial> fit(List<Group> groups, int degree) {
      int first = groups.get(0).concurrency();
      int last = groups.get(groups.size() - 1).concurrency();
      double centre = (first + last) / 2.0;
      double scale = Math.max(1, last - first) / 2.0;
      double[][] rows = new double[groups.size()][degree + 1];
      double[] right = new double[groups.size()];
      for (int i = 0; i < rows.length; i++) {
        Group group = groups.get(i);
        double weight = Math.sqrt(group.points());
        double x = (group.concurrency() - centre) / scale;
        double power = weight;
        for (int k = 0; k <= degree; k++) {
          rows[i][k] = power;
          power *= x;
        }
        right[i] = weight * group.rate();
      }
      return LeastSquares.solve(rows, right)
          .map(coefficients -> new Polynomial(first, last, centre, scale, coefficients));
    }

    double at(double concurrency) {
      double x = (concurrency - centre) / scale;
      double value = 0;
      for (int k = coefficients.length - 1; k >= 0; k--) {
        value = value * x + coefficients[k];
      }
      return value;
    }

    /** Returns the mean square of the residuals; one group is spared for a division by 0. */
    double errorPerFreedom(List<Group> groups) {
      double sum = 0;
      for (Group group : groups) {
        double residual = group.rate() - at(group.concurrency());
        sum += group.points() * residual * residual;
      }
      return sum / Math.max(1, groups.size() - coefficients.length);
    }

    /** Returns the concurrency at which the normalised curve is farthest above the diagonal. */
    Optional<Knee> knee() {
      double low = Double.POSITIVE_INFINITY;
      double high = Double.NEGATIVE_INFINITY;
      for (int n = first; n <= last; n++) {
        low = Math.min(low, at(n));
        high = Math.max(high, at(n));
      }
      if (!(high - low > 0) || last == first) {
        return Optional.empty();
      }
      int knee = first;
      double distance = Double.NEGATIVE_INFINITY;
      for (int n = first; n <= last; n++) {
        double x = (double) (n - first) / (last - first);
        double above = (at(n) - low) / (high - low) - x;
        if (above > distance + 1e-12) {
          distance = above;
          knee = n;
        }
      }
      return Optional.of(new Knee(knee, at(knee), at(last), coefficients.length - 1, distance));
    }
  }
}
