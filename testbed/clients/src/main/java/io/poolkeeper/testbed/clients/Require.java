package io.poolkeeper.testbed.clients;

/** Checks of settings; a message names the setting, the rule and the value. */
public final class Require {

  private Require() {}

  /** A finite number above 0. */
  public static double positive(String setting, double value) {
    if (!(value > 0) || value == Double.POSITIVE_INFINITY) {
      throw new IllegalArgumentException(setting + " must be > 0 and finite, but is " + value);
    }
    return value;
  }

  /** A finite number, 0 or more. */
  public static double notNegative(String setting, double value) {
    if (!(value >= 0) || value == Double.POSITIVE_INFINITY) {
      throw new IllegalArgumentException(setting + " must be >= 0 and finite, but is " + value);
    }
    return value;
  }

  /** A number from 0 to 1. */
  public static double fraction(String setting, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(setting + " must be within 0..1, but is " + value);
    }
    return value;
  }

  /** A whole number, {@code minimum} or more. */
  public static int atLeast(String setting, int minimum, int value) {
    if (value < minimum) {
      throw new IllegalArgumentException(setting + " must be >= " + minimum + ", but is " + value);
    }
    return value;
  }

  /** A whole number that an int can hold; 0 or more is checked elsewhere. */
  static void count(String setting, double value) {
    if (value != Math.rint(value) || value > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "%s must be a whole number up to %d, but is %s"
              .formatted(setting, Integer.MAX_VALUE, value));
    }
  }

  /** A text that is not blank. */
  public static String name(String setting, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(setting + " must not be blank, but is '" + value + "'");
    }
    return value;
  }

  /** Rounding of probabilities written in decimals is allowed for, an error of a digit is not. */
  public static void sumToOne(String setting, double sum) {
    if (!(Math.abs(sum - 1) <= 1e-9)) {
      throw new IllegalArgumentException(setting + " must sum to 1, but sum to " + sum);
    }
  }
}
