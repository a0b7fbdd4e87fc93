package io.poolkeeper.testbed.benchmarks.figures;

import java.util.Collection;
import java.util.Locale;

/**
 * Several measurements of the same.
 *
 * @param median the middle one
 * @param least the smallest
 * @param most the largest
 * @param count how many
 */
public record Spread(double median, double least, double most, int count) {

  /** Of at least one measurement. */
  public static Spread of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
  }

  /** This much more than {@code base}. */
  public Spread less(double base) {
    return new Spread(median - base, least - base, most - base, count);
  }

  /** Whether a target that should be reached from below was. */
  public String atLeast(double target) {
    return verdict(">= " + number(target), median >= target, least >= target, most >= target);
  }

  /** Whether a target that should not be exceeded was kept. */
  public String below(double target) {
    return verdict("< " + number(target), median < target, most < target, least < target);
  }

  private static String verdict(String target, boolean median, boolean worst, boolean best) {
    String doubt = worst == best ? "" : " by the median, not by the whole range";
    return "target %s: %s%s".formatted(target, median ? "reached" : "missed", doubt);
  }

  @Override
  public String toString() {
    return "%s (%s to %s, n = %d)".formatted(number(median), number(least), number(most), count);
  }

  public static String number(double value) {
    String format = Math.abs(value) >= 100 ? "%.0f" : Math.abs(value) >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
