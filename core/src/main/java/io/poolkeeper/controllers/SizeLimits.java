package io.poolkeeper.controllers;

/**
 * The sizes that the pool accepts. A size that was requested and not applied shows a bound, or that
 * nobody applies the decisions. Experiments stay within the limits; recommendations do not.
 *
 * @param size size of the window before, 0 for none
 * @param requested size requested last, 0 for none
 * @param floor smallest size for experiments
 * @param ceiling largest size for experiments
 */
record SizeLimits(int size, int requested, int floor, int ceiling) {

  static final SizeLimits UNKNOWN = new SizeLimits(0, 0, 1, Integer.MAX_VALUE);

  /** Returns the limits after a window of a size. */
  SizeLimits afterWindow(int size) {
    int low = size < floor ? 1 : floor;
    int high = size > ceiling ? Integer.MAX_VALUE : ceiling;
    if (requested > size) {
      high = size;
    } else if (requested > 0 && requested < size) {
      low = size;
    }
    return new SizeLimits(size, requested, low, high);
  }

  /** Returns the limits after a request for a size. */
  SizeLimits afterRequest(int requested) {
    return new SizeLimits(size, requested, floor, ceiling);
  }
}
