package io.poolkeeper.testbed.benchmarks.figures;

import java.util.Collection;
import java.util.Optional;

/**
 * An interval that holds the median with 95 % or more, whatever its distribution. Its ranks are
 * those of the sign test (Conover, Practical Nonparametric Statistics, 3.2).
 *
 * @param least lower end
 * @param most upper end
 */
public record MedianInterval(double least, double most) {

  private static final double BEYOND = 0.05;

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

  /** Whether the median reaches a target, as far as the interval tells. */
  public String atLeast(double target) {
    String verdict = least >= target ? "reached" : most < target ? "missed" : "undecided";
    return "target >= %s: %s".formatted(Spread.number(target), verdict);
  }

  @Override
  public String toString() {
    return "95 %% %s to %s".formatted(Spread.number(least), Spread.number(most));
  }
}
