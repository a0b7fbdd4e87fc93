package io.poolkeeper;

/**
 * The sizes that a {@link Resizable} may be given.
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

  /** Whether {@code size} is allowed. */
  public boolean contain(int size) {
    return minimum <= size && size <= maximum;
  }

  /** The allowed size nearest to {@code size}. */
  public int clamp(int size) {
    return Math.max(minimum, Math.min(maximum, size));
  }

  /**
   * Returns {@code size} if it is allowed.
   *
   * @throws IllegalArgumentException naming {@code setting} and the bound if it is not
   */
  public int require(String setting, int size) {
    if (!contain(size)) {
      throw new IllegalArgumentException(
          setting + " must be within " + minimum + ".." + maximum + ", but is " + size);
    }
    return size;
  }
}
