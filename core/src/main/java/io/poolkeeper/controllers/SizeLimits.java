package io.poolkeeper.controllers;

/**
 * The sizes that the pool accepts, and how fast it gets there. A size within the bounds that was
 * requested and not applied shows that the pool takes less, or that nobody applies the decisions.
 * Experiments stay within the limits; recommendations do not.
 *
 * @param size size of the window before, 0 for none
 * @param requested size requested last, 0 for none
 * @param floor smallest size for experiments
 * @param ceiling largest size for experiments
 * @param growth sizes a second by which the pool grows: connections are opened one after the other;
 *     infinite if it is at the size at once
 * @param behind whether the window before had fewer workers than were requested
 */
record SizeLimits(int size, int requested, int floor, int ceiling, double growth, boolean behind) {

  static final SizeLimits UNKNOWN =
      new SizeLimits(0, 0, 1, Integer.MAX_VALUE, Double.POSITIVE_INFINITY, false);

  /**
   * Returns the limits after a window of a size.
   *
   * @param seconds length of the window
   */
  SizeLimits afterWindow(int size, double seconds) {
    int low = size < floor ? 1 : floor;
    int high = size > ceiling ? Integer.MAX_VALUE : ceiling;
    if (requested > size) {
      high = size;
    } else if (requested > 0 && requested < size) {
      low = size;
    }
    double pace = growthAfter(size, seconds);
    return new SizeLimits(size, requested, low, high, pace, requested > size);
  }

  private double growthAfter(int size, double seconds) {
    if (!behind || requested <= this.size) {
      return growth;
    }
    if (size <= this.size) {
      return Double.POSITIVE_INFINITY; // It no longer grows: a bound.
    }
    double latest = (size - this.size) / seconds;
    return size < requested ? latest : Math.max(growth, latest);
  }

  /** Returns whether a larger size is in force at once. */
  boolean growsAtOnce() {
    return Double.isInfinite(growth);
  }

  /** Returns the limits after a request for a size. */
  SizeLimits afterRequest(int requested) {
    return new SizeLimits(size, requested, floor, ceiling, growth, behind);
  }

  /** Returns the limits after a request that was reduced to a size. */
  SizeLimits afterReduction(int reduced) {
    return new SizeLimits(size, reduced, floor, reduced, growth, behind);
  }

  /** Returns the limits without the ceiling. */
  SizeLimits withoutCeiling() {
    return new SizeLimits(size, requested, floor, Integer.MAX_VALUE, growth, behind);
  }
}
