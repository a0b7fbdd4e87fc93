package io.tidepool.controllers;

/**
 * Keeps the size below one at which tasks fill the heap. A collapse that is noticed late costs
 * everything: the collector takes all processors, nothing ends, and the tasks that hold the memory
 * stay. So a single window with much of its time in garbage collection is enough for a smaller
 * size, and statistics are not waited for. A step down that was not needed costs a window.
 *
 * @param ceiling largest size to ask for; infinite while there was no collapse
 * @param collapsed smallest size that collapsed lately, infinite for none
 * @param usual share of the time in garbage collection lately, from 0 to 1
 * @param last the same share in the last window
 */
public record CollapseGuard(double ceiling, double collapsed, double usual, double last) {

  /** Nothing has collapsed. */
  public static final CollapseGuard INITIAL =
      new CollapseGuard(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0, 0);

  /** Share of the time in garbage collection from which a large pool is too large. */
  private static final double HIGH = 0.4;

  /** A pool of many workers falls to this part of its size. */
  private static final int FALL = 4;

  /** The same for a pool of a few workers a processor, which earns more than it risks. */
  private static final double HIGH_FOR_FEW = 0.55;

  /** Share from which a pool of any size is too large, whatever was usual. */
  private static final double SEVERE = 0.75;

  /** A share is usual up to so much above the mean one. */
  private static final double UNUSUAL = 0.25;

  /** Workers a processor that are safe to fall back to. */
  private static final int SAFE = 8;

  /** Seconds in which the usual share follows. */
  private static final double USUAL_SECONDS = 5;

  /** The ceiling rises while less than this share of the time goes into garbage collection. */
  private static final double RECOVERED = 0.3;

  /** Below this share the heap is no concern. */
  private static final double CALM = 0.06;

  private static final double RISE_A_SECOND = 0.2;
  private static final double RISE_A_SECOND_WHEN_CALM = 1;

  /** Near the size that collapsed the ceiling rises slowly. */
  private static final double NEAR = 0.8;

  private static final double RISE_A_SECOND_WHEN_NEAR = 0.002;

  /** Workers that are safe on a machine. */
  static int safe(int processors) {
    return SAFE * processors;
  }

  /**
   * Returns the size to fall to at once, or {@code size} if there is no danger. Allocates nothing:
   * it is asked while the heap may be full. A pool of many workers falls at the first sign, which
   * may be but one long pause; a pool of few only if it lasts.
   *
   * @param share of the time in garbage collection, from 0 to 1
   * @param processors that the work may use
   */
  int relieved(int size, double share, int processors) {
    int safe = SAFE * processors;
    boolean many = size > 2 * safe;
    boolean unusual = share > usual + UNUSUAL;
    boolean danger =
        many ? share > SEVERE || (share > HIGH && unusual) : share > HIGH_FOR_FEW && last > HIGH;
    return danger && size > safe ? Math.max(safe, many ? size / FALL : size / 2) : size;
  }

  /** Whether the window before had more than an occasional pause. */
  boolean strained() {
    return last > HIGH;
  }

  /** After a window in which the size had to fall. */
  CollapseGuard tripped(int from, int to, double share) {
    return new CollapseGuard(Math.min(ceiling, to), Math.min(collapsed, from), usual, share);
  }

  /** After the work has changed: what filled the heap before says nothing of it. */
  CollapseGuard withOtherWork() {
    return new CollapseGuard(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, usual, last);
  }

  /** Whether some size has collapsed, so that growth takes care. */
  boolean careful() {
    return ceiling < Double.POSITIVE_INFINITY;
  }

  /**
   * After a window without danger. It says something about the ceiling if its size was near.
   *
   * @param size in force
   */
  CollapseGuard after(int size, double share, double seconds) {
    double weight = Math.min(1, seconds / USUAL_SECONDS);
    double mean = usual + weight * (share - usual);
    if (ceiling == Double.POSITIVE_INFINITY || share > RECOVERED || 2 * size < ceiling) {
      return new CollapseGuard(ceiling, collapsed, mean, share);
    }
    double rise = share < CALM ? RISE_A_SECOND_WHEN_CALM : RISE_A_SECOND;
    if (share >= CALM && ceiling > NEAR * collapsed) {
      rise = RISE_A_SECOND_WHEN_NEAR;
    }
    double higher = ceiling * (1 + rise * Math.min(1, seconds));
    boolean over = higher > 2 * collapsed || higher > Integer.MAX_VALUE;
    return over
        ? new CollapseGuard(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, mean, share)
        : new CollapseGuard(higher, collapsed, mean, share);
  }
}
