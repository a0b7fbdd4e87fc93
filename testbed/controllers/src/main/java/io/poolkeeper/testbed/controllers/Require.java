package io.poolkeeper.testbed.controllers;

import java.time.Duration;

/** Checks of settings; the message names the setting, the rule and the value. */
public final class Require {

  private Require() {}

  /** A whole number of at least {@code least}. */
  public static int atLeast(int least, String setting, int value) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s must be >= %d, but is %d".formatted(setting, least, value));
    }
    return value;
  }

  /** A pair of which the second is not below the first. */
  public static void ordered(String lower, int low, String upper, int high) {
    if (high < low) {
      throw new IllegalArgumentException(
          "%s must be >= %s, but %d < %d".formatted(upper, lower, high, low));
    }
  }

  /** First, smallest and largest limit of a rule: {@code 1 <= minimum <= initial <= maximum}. */
  public static void limits(int initial, int minimum, int maximum) {
    atLeast(1, "minimum", minimum);
    ordered("minimum", minimum, "initial", initial);
    ordered("initial", initial, "maximum", maximum);
  }

  /** A number above {@code low} and not above {@code high}. */
  public static double within(double low, double high, String setting, double value) {
    if (!(value > low && value <= high)) {
      throw new IllegalArgumentException(
          "%s must be above %s and at most %s, but is %s".formatted(setting, low, high, value));
    }
    return value;
  }

  /** A duration above zero that a monotonic clock in nanoseconds can hold. */
  public static long positive(String setting, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(setting + " must be positive, but is " + value);
    }
    try {
      return value.toNanos();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(setting + " must be below 292 years, but is " + value, e);
    }
  }

  /** Whole milliseconds above zero, as a duration. */
  public static Duration millis(String setting, int value) {
    return Duration.ofMillis(atLeast(1, setting, value));
  }
}
