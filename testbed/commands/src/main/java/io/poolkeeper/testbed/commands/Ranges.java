package io.poolkeeper.testbed.commands;

import java.math.BigDecimal;

/** Ranges of numbers that options admit. */
public final class Ranges {

  private Ranges() {}

  /**
   * Checks the number of an option.
   *
   * @param option its name with dashes
   * @throws IllegalArgumentException with option, range and value if it lies outside
   */
  public static void require(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          "%s must be from %s to %s, but is %s"
              .formatted(option, text(least), text(most), text(value)));
    }
  }

  /**
   * Checks a whole number of an option.
   *
   * @param option its name with dashes
   * @throws IllegalArgumentException with option, range and value if it lies outside
   */
  public static void require(String option, long value, long least, long most) {
    require(option, (double) value, (double) least, (double) most);
  }

  /** Without an exponent, and without a fraction of zero. */
  private static String text(double value) {
    return Double.isFinite(value)
        ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
        : Double.toString(value);
  }
}
