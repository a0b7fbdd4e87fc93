package io.poolkeeper.testbed.controllers.peers;

import java.util.List;
import java.util.Optional;

/**
 * Parabola through what sizes achieved: {@code centre} is where {@code x} is 0, and one unit of
 * {@code x} is {@code scale} workers.
 */
record Parabola(double centre, double scale, double slope, double curvature) {

  /** Below this the sizes do not tell a parabola from a line. */
  private static final double SINGULAR = 1e-9;

  /**
   * Throughput at a size.
   *
   * @param size workers
   * @param throughput completions per second
   */
  record Point(int size, double throughput) {}

  /**
   * Fits {@code a0 + a1 x + a2 x^2} by weighted least squares.
   *
   * @param points the newest last
   * @param memory weight of a point relative to the one after it, above 0 and at most 1
   * @return empty if there are fewer than three sizes
   */
  static Optional<Parabola> fit(List<Point> points, double memory) {
    long sizes = points.stream().mapToInt(Point::size).distinct().count();
    if (sizes < 3) {
      return Optional.empty();
    }
    // Centred and scaled, because the fourth powers of 199, 200 and 201 are the same to a double.
    double centre = points.stream().mapToInt(Point::size).average().orElseThrow();
    double scale =
        points.stream().mapToDouble(p -> Math.abs(p.size() - centre)).max().orElseThrow();
    double[] powers = new double[5];
    double[] moments = new double[3];
    double weight = 1;
    for (int i = points.size() - 1; i >= 0; i--) {
      double x = (points.get(i).size() - centre) / scale;
      double power = weight;
      for (int k = 0; k < 5; k++) {
        powers[k] += power;
        if (k < 3) {
          moments[k] += power * points.get(i).throughput();
        }
        power *= x;
      }
      weight *= memory;
    }
    return solve(powers, moments, centre, scale);
  }

  /** Cramer's rule on the three normal equations. */
  private static Optional<Parabola> solve(double[] s, double[] t, double centre, double scale) {
    double all = determinant(s[0], s[1], s[2], s[1], s[2], s[3], s[2], s[3], s[4]);
    if (!(all > SINGULAR)) {
      return Optional.empty();
    }
    double slope = determinant(s[0], t[0], s[2], s[1], t[1], s[3], s[2], t[2], s[4]) / all;
    double curvature = determinant(s[0], s[1], t[0], s[1], s[2], t[1], s[2], s[3], t[2]) / all;
    return Double.isFinite(slope) && Double.isFinite(curvature)
        ? Optional.of(new Parabola(centre, scale, slope, curvature))
        : Optional.empty();
  }

  private static double determinant(
      double a, double b, double c, double d, double e, double f, double g, double h, double i) {
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  }

  /** Whether it has a maximum. */
  boolean opensDownwards() {
    return curvature < 0;
  }

  /** The size at its maximum or minimum; infinite or NaN for a line. */
  double vertex() {
    return centre - scale * slope / (2 * curvature);
  }

  /** Its slope at a size, in throughput a worker. */
  double slopeAt(int size) {
    return (slope + 2 * curvature * (size - centre) / scale) / scale;
  }
}
