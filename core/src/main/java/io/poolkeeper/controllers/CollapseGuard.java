package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;
import org.jspecify.annotations.Nullable;

/**
 * Guard against sizes at which tasks fill the heap. A late reaction to a collapse costs everything:
 * the collector takes all processors, nothing ends, and the tasks that hold the memory stay. So a
 * single window with much garbage collection is enough for a smaller size, without statistics. A
 * step down that was not needed costs a window.
 *
 * @param ceiling largest size to ask for; infinite while there was no collapse
 * @param collapsed smallest size that collapsed lately, infinite for none
 * @param proven largest size that was in force without danger since the collapse
 * @param usual share of the time in garbage collection lately, from 0 to 1
 * @param last the same share in the last window
 * @param surprising whether a familiar size collapsed, so that other work is likely
 * @param pause largest recent share of a single window that passed with as many busy workers: a
 *     long pause of the collector, whatever the size
 * @param before the guard before a reduction in the last window, null without a reduction
 */
record CollapseGuard(
    double ceiling,
    double collapsed,
    double proven,
    double usual,
    double last,
    boolean surprising,
    double pause,
    @Nullable CollapseGuard before) {

  static final CollapseGuard INITIAL =
      new CollapseGuard(
          Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0, 0, 0, false, 0, null);

  /** Returns the number of workers that are safe on a machine. */
  static int safe(int processors) {
    return Tuning.SAFE_WORKERS * processors;
  }

  /**
   * Returns the size to fall to at once, or {@code size} if there is no danger. Allocates nothing:
   * the heap may be full. A pool of many workers is reduced at the first sign, which may be a
   * single long pause; a pool of few workers only if it lasts.
   *
   * @param share of the time in garbage collection, from 0 to 1
   * @param processors that the work may use
   */
  int reducedSize(int size, double share, int processors) {
    int safe = Tuning.SAFE_WORKERS * processors;
    boolean many = size > 2 * safe;
    boolean unusual =
        share > usual + Tuning.COLLECTING_UNUSUAL && (share > pause || last > Tuning.COLLECTING);
    boolean severe =
        share > Tuning.COLLECTING_SEVERE && (share > pause || last > Tuning.COLLECTING);
    boolean danger =
        many
            ? severe || (share > Tuning.COLLECTING && unusual)
            : share > Tuning.COLLECTING_SMALL_POOL && last > Tuning.COLLECTING;
    return danger && size > safe ? Math.max(safe, many ? size / Tuning.REDUCTION : size / 2) : size;
  }

  /** Returns the size to fall to where the heap will be full before it is collected. */
  int cautiousSize(int size, int processors) {
    int safe = Tuning.SAFE_WORKERS * processors;
    return size > 2 * safe ? Math.max(safe, size / Tuning.REDUCTION) : size;
  }

  /**
   * Records a reduction.
   *
   * @param wasFine whether the size before had been in force without danger
   */
  CollapseGuard afterReduction(int size, int reduced, double share, boolean wasFine) {
    return new CollapseGuard(
        Math.min(ceiling, reduced),
        Math.min(collapsed, size),
        0,
        usual,
        share,
        surprising || wasFine,
        pause,
        new CollapseGuard(ceiling, collapsed, proven, usual, last, surprising, pause, null));
  }

  /**
   * Returns whether the reduction was unnecessary: nearly as many workers are still busy in the
   * next window, and next to no time went into garbage collection.
   */
  boolean falseAlarm(double busy, double share) {
    return before != null && share < Tuning.COLLECTING_CALM && busy > Tuning.STILL_BUSY * collapsed;
  }

  /** Takes a reduction back: a pause of that length is no alarm from now on. */
  CollapseGuard afterFalseAlarm() {
    CollapseGuard origin = before == null ? this : before;
    return new CollapseGuard(
        origin.ceiling,
        origin.collapsed,
        origin.proven,
        usual,
        0,
        origin.surprising,
        Math.max(pause, last),
        null);
  }

  private CollapseGuard with(double newCeiling, double newCollapsed, boolean newSurprising) {
    return new CollapseGuard(
        newCeiling, newCollapsed, proven, usual, last, newSurprising, pause, before);
  }

  /**
   * Forgets the ceiling after a change of the work, unless garbage is collected: then the new work
   * may have filled the heap.
   */
  CollapseGuard afterWorkChange() {
    return surprising || last > Tuning.COLLECTING_CALM
        ? withoutSurprise()
        : with(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, false);
  }

  /** Clears the surprise after an expected window, or after an explanation. */
  CollapseGuard withoutSurprise() {
    return surprising ? with(ceiling, collapsed, false) : this;
  }

  /** Returns whether a size has collapsed, so that growth is careful. */
  boolean limiting() {
    return ceiling < Double.POSITIVE_INFINITY;
  }

  /** Returns whether the ceiling is still far below the size that collapsed, and rises soon. */
  boolean recovering() {
    return limiting() && ceiling <= Tuning.CEILING_NEAR * collapsed;
  }

  /**
   * Records a window without danger. The ceiling rises if the size was near it.
   *
   * @param size in force
   */
  CollapseGuard afterWindow(int size, double share, double seconds) {
    double weight = Math.min(1, seconds / Tuning.USUAL_COLLECTING_SECONDS);
    double mean = usual + weight * (share - usual);
    // A reduction followed by calm may have been due to a pause as well.
    double longest =
        before != null && share < Tuning.COLLECTING_CALM ? Math.max(pause, last) : pause;
    double fading = longest * Math.max(0, 1 - seconds / Tuning.PAUSE_SECONDS);
    CollapseGuard next =
        new CollapseGuard(
            ceiling,
            collapsed,
            share < Tuning.COLLECTING_CALM ? Math.max(proven, size) : proven,
            mean,
            share,
            surprising,
            fading,
            null);
    if (ceiling == Double.POSITIVE_INFINITY || share > Tuning.COLLECTING_RECOVERED) {
      return next;
    }
    boolean calm = share < Tuning.COLLECTING_CALM;
    if (2 * size < ceiling) {
      // Nothing is learned about the ceiling here; but a pause in the past is no reason for ever.
      double later = ceiling * (1 + Tuning.CEILING_RISE_AWAY * Math.min(1, seconds));
      return calm && later < collapsed ? next.with(later, ceiling) : next;
    }
    double rise = calm ? Tuning.CEILING_RISE_CALM : Tuning.CEILING_RISE;
    if (!calm && !recovering()) {
      rise = Tuning.CEILING_RISE_NEAR;
    }
    double higher = ceiling * (1 + rise * Math.min(1, seconds));
    boolean over = higher > 2 * collapsed || higher > Integer.MAX_VALUE;
    return over
        ? next.with(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, surprising)
        : next.with(higher, collapsed, surprising);
  }

  private CollapseGuard with(double newCeiling, double newProven) {
    return new CollapseGuard(
        newCeiling, collapsed, newProven, usual, last, surprising, pause, before);
  }
}
