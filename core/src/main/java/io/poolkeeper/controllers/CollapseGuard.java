package io.poolkeeper.controllers;

import org.jspecify.annotations.Nullable;

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
 * @param surprising whether a size collapsed that had been fine, so that other work is likely
 * @param pause largest share in a single window lately that passed while as many workers were busy:
 *     a collector's long pause, whatever the size
 * @param before the guard before the size had to fall in the last window, null if it had not to
 */
public record CollapseGuard(
    double ceiling,
    double collapsed,
    double usual,
    double last,
    boolean surprising,
    double pause,
    @Nullable CollapseGuard before) {

  /** Nothing has collapsed. */
  public static final CollapseGuard INITIAL =
      new CollapseGuard(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0, 0, false, 0, null);

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

  /** Part of the workers that are still busy where the fall did not cause the calm. */
  private static final double STILL_BUSY = 0.7;

  /** A long pause is forgotten within so many seconds. */
  private static final double PAUSE_SECONDS = 300;

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
    boolean unusual = share > usual + UNUSUAL && (share > pause || last > HIGH);
    boolean severe = share > SEVERE && (share > pause || last > HIGH);
    boolean danger =
        many ? severe || (share > HIGH && unusual) : share > HIGH_FOR_FEW && last > HIGH;
    return danger && size > safe ? Math.max(safe, many ? size / FALL : size / 2) : size;
  }

  /**
   * After a window in which the size had to fall.
   *
   * @param wasFine whether the size it fell from had been in force without danger
   */
  CollapseGuard tripped(int from, int to, double share, boolean wasFine) {
    return new CollapseGuard(
        Math.min(ceiling, to),
        Math.min(collapsed, from),
        usual,
        share,
        surprising || wasFine,
        pause,
        new CollapseGuard(ceiling, collapsed, usual, last, surprising, pause, null));
  }

  /**
   * Whether the fall was for nothing: nearly as many workers are still busy in the window after it,
   * and next to no time went into garbage collection.
   */
  boolean falseAlarm(double busy, double share) {
    return before != null && share < CALM && busy > STILL_BUSY * collapsed;
  }

  /** After a false alarm: a pause of that length is nothing special from now on. */
  CollapseGuard withdrawn() {
    CollapseGuard was = before == null ? this : before;
    return new CollapseGuard(
        was.ceiling, was.collapsed, usual, 0, was.surprising, Math.max(pause, last), null);
  }

  private CollapseGuard with(double newCeiling, double newCollapsed, boolean newSurprising) {
    return new CollapseGuard(newCeiling, newCollapsed, usual, last, newSurprising, pause, before);
  }

  /**
   * After the work has changed: what filled the heap before says nothing of it. But if garbage is
   * collected, the new work may be what has just filled it.
   */
  CollapseGuard withOtherWork() {
    return surprising || last > CALM
        ? asExpected()
        : with(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, false);
  }

  /** After a window that was as expected, or an explanation for those that were not. */
  CollapseGuard asExpected() {
    return surprising ? with(ceiling, collapsed, false) : this;
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
    // A fall after which all is calm at once may have been due to a pause as well.
    double longest = before != null && share < CALM ? Math.max(pause, last) : pause;
    double fading = longest * Math.max(0, 1 - seconds / PAUSE_SECONDS);
    CollapseGuard next =
        new CollapseGuard(ceiling, collapsed, mean, share, surprising, fading, null);
    if (ceiling == Double.POSITIVE_INFINITY || share > RECOVERED || 2 * size < ceiling) {
      return next;
    }
    double rise = share < CALM ? RISE_A_SECOND_WHEN_CALM : RISE_A_SECOND;
    if (share >= CALM && ceiling > NEAR * collapsed) {
      rise = RISE_A_SECOND_WHEN_NEAR;
    }
    double higher = ceiling * (1 + rise * Math.min(1, seconds));
    boolean over = higher > 2 * collapsed || higher > Integer.MAX_VALUE;
    return over
        ? next.with(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, surprising)
        : next.with(higher, collapsed, surprising);
  }
}
