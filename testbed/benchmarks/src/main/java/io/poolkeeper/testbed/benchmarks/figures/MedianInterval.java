package io.poolkeeper.testbed.benchmarks.figures;

import java.util.Collection;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * An interval that holds the median with 95 % or more, whatever its distribution. Its ranks are
 * those of the sign test (Conover, Practical Nonparametric Statistics, 3.2).
 *
 * @param least lower end
 * @param most upper end
 */
public record MedianInterval(double least, double most) {

  private static final double BEYOND = 0.05;
  private static final String TOO_FEW = "too few rounds to tell";

  /** Returns the interval; empty of fewer than six values, which are too few. */
  public static Optional<MedianInterval> of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int n = sorted.length;
    double probability = Math.scalb(1.0, -n); // Of so many values below the median.
    double tail = 2 * probability;
    if (tail > BEYOND) {
      return Optional.empty();
    }
    int rank = 0;
    while (true) {
      probability *= (double) (n - rank) / (rank + 1);
      if (tail + 2 * probability > BEYOND) {
        return Optional.of(new MedianInterval(sorted[rank], sorted[n - 1 - rank]));
      }
      tail += 2 * probability;
      rank++;
    }
  }

  /** The interval of ratios or other values, and whether their median reaches a target. */
  public static String atLeast(Collection<Double> values, double target) {
    return verdict(values, ">=", target, each -> each.least >= target, each -> each.most < target);
  }

  /** The interval, and whether the median stays below a target. */
  public static String below(Collection<Double> values, double target) {
    return verdict(values, "<", target, each -> each.most < target, each -> each.least >= target);
  }

  private static String verdict(
      Collection<Double> values,
      String relation,
      double target,
      Predicate<MedianInterval> reached,
      Predicate<MedianInterval> missed) {
    Optional<MedianInterval> interval = of(values);
    String verdict =
        interval.filter(reached).isPresent()
            ? "reached"
            : interval.filter(missed).isPresent() ? "missed" : "undecided";
    return "%s; target %s %s: %s"
        .formatted(
            text(values), relation, Spread.number(target), interval.isEmpty() ? TOO_FEW : verdict);
  }

  /** Median, range and interval in words. */
  public static String text(Collection<Double> values) {
    return Spread.of(values) + of(values).map(interval -> ", " + interval).orElse("");
  }

  @Override
  public String toString() {
    return "95 %% interval %s to %s".formatted(Spread.number(least), Spread.number(most));
  }
}
