package io.poolkeeper;

/**
 * The range of sizes of a {@link Resizable}.
 *
 * @param minimum smallest size, 1 or more
 * @param maximum largest size, {@code minimum} or more
 */
public record Bounds(int minimum, int maximum) {

  /**
   * @throws IllegalArgumentException if {@code minimum} is below 1 or above {@code maximum}
   */
  public Bounds {
    if (minimum < 1) {
      throw new IllegalArgumentException("minimum must be >= 1, but is " + minimum);
    }
    if (maximum < minimum) {
      throw new IllegalArgumentException(
          "maximum must be >= minimum, but " + maximum + " < " + minimum);
    }
  }

  /** Returns whether {@code size} is within the bounds. */
  public boolean contain(int size) {
    return minimum <= size && size <= maximum;
  }

  /** Returns the size within the bounds that is nearest to {@code size}. */
  public int clamp(int size) {
    return Math.max(minimum, Math.min(maximum, size));
  }

  /**
   * Returns {@code size} if it is within the bounds.
   *
   * @throws IllegalArgumentException if it is not, naming {@code setting}, the bounds and the size
   */
  public int require(String setting, int size) {
    if (!contain(size)) {
      throw new IllegalArgumentException(
          setting + " must be within " + minimum + ".." + maximum + ", but is " + size);
    }
    return size;
  }
}
