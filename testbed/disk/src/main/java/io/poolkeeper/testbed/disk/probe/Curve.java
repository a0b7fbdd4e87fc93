package io.poolkeeper.testbed.disk.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Throughput by the number of threads.
 *
 * @param points by rising number of threads, one at least
 */
public record Curve(List<Point> points) {

  /** Part of the best throughput that the knee has at least. */
  static final double WITHIN = 0.97;

  /**
   * Throughput of a number of threads.
   *
   * @param threads number of threads
   * @param rates bytes per second of each repetition, one at least
   */
  public record Point(int threads, List<Double> rates) {

    /** Returns the mean, bytes per second. */
    public double mean() {
      return rates.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    /** Returns the standard deviation of the repetitions, NaN for a single one. */
    double deviation() {
      double mean = mean();
      double squares = rates.stream().mapToDouble(rate -> (rate - mean) * (rate - mean)).sum();
      return rates.size() > 1 ? Math.sqrt(squares / (rates.size() - 1)) : Double.NaN;
    }

    /** Returns the standard error of the mean, as a fraction of it; NaN for a single one. */
    double error() {
      return mean() == 0 ? 0 : deviation() / Math.sqrt(rates.size()) / mean();
    }
  }

  public static Curve of(Map<Integer, List<Double>> rates) {
    List<Point> points = new ArrayList<>();
    new TreeMap<>(rates).forEach((threads, all) -> points.add(new Point(threads, all)));
    return new Curve(points);
  }

  /** Returns the curve of one repetition alone, from 0 on. */
  Curve ofRepetition(int number) {
    return new Curve(
        points.stream()
            .map(point -> new Point(point.threads(), List.of(point.rates().get(number))))
            .toList());
  }

  /** Returns the point of the highest throughput. */
  Point best() {
    Point best = points.get(0);
    for (Point point : points) {
      best = point.mean() > best.mean() ? point : best;
    }
    return best;
  }

  /** Returns the smallest number of threads with {@link #WITHIN} of the best throughput. */
  public Point knee() {
    double enough = WITHIN * best().mean();
    return points.stream().filter(point -> point.mean() >= enough).findFirst().orElse(best());
  }

  /** Returns the throughput of a number of threads as a fraction of the best. */
  double share(int threads) {
    double best = best().mean();
    return points.stream()
        .filter(point -> point.threads() == threads)
        .mapToDouble(point -> best == 0 ? 1 : point.mean() / best)
        .findFirst()
        .orElse(0);
  }

  /**
   * Returns the smallest number of threads whose least share over all curves is within {@link
   * #WITHIN} of the largest possible.
   */
  public static int suggested(Iterable<Curve> curves) {
    Map<Integer, Double> least = new TreeMap<>();
    for (Curve curve : curves) {
      for (Point point : curve.points()) {
        least.merge(point.threads(), curve.share(point.threads()), Math::min);
      }
    }
    double most = least.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return least.entrySet().stream()
        .filter(entry -> entry.getValue() >= WITHIN * most)
        .mapToInt(Map.Entry::getKey)
        .findFirst()
        .orElse(1);
  }
}
