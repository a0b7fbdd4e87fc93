package io.poolkeeper.controllers;

/**
 * Where the pool can be sent: a size that was asked for and not taken shows a bound, or that nobody
 * follows the decisions. Experiments stay within; what is recommended does not.
 *
 * @param size size of the window before, 0 for none
 * @param asked size asked for last, 0 for none
 * @param floor smallest size that experiments may ask for
 * @param ceiling largest size that they may ask for
 */
public record Latitude(int size, int asked, int floor, int ceiling) {

  static final Latitude UNKNOWN = new Latitude(0, 0, 1, Integer.MAX_VALUE);

  /** After a window of this size. */
  Latitude seen(int size) {
    int low = size < floor ? 1 : floor;
    int high = size > ceiling ? Integer.MAX_VALUE : ceiling;
    if (asked > size) {
      high = size;
    } else if (asked > 0 && asked < size) {
      low = size;
    }
    return new Latitude(size, asked, low, high);
  }

  /** After asking for a size. */
  Latitude asking(int asked) {
    return new Latitude(size, asked, floor, ceiling);
  }
}
