package io.tidepool.controllers;

import java.util.BitSet;
import java.util.List;

/**
 * The sizes that come into question after a window.
 *
 * @param slow whether a task takes longer than a window
 */
record Reach(
    Knowledge knowledge, Demand demand, CollapseGuard guard, Processors processors, boolean slow) {

  /** How many times the largest size that was tried the next one may be. */
  private static final double LEAP = 4;

  /** The same where a task takes longer than a window: it takes as long to come back. */
  private static final double LEAP_WHEN_SLOW = 2;

  /** The same after a collapse. */
  private static final double LEAP_WITH_CARE = 1.5;

  /**
   * Seconds in which a limit that refuses leaves sizes alone that lie beyond one that is worse:
   * what it refuses would fill any size, and what it let in too many of keeps the others waiting.
   */
  private static final double YOUNG = 20;

  /** Part of the best reward that is worse. */
  private static final double WORSE = 0.8;

  /** Places of the grid on both sides of the best size that are considered. */
  private static final int NEIGHBOURS = 2;

  /** A size that is smaller than what is useful by so little will do. */
  private static final double NEARLY = 0.98;

  /**
   * Places that come into question up to {@code last}: the coarse part of the grid, sizes that were
   * seen, and the neighbourhood of the best of them.
   */
  int[] candidates(int here, int last) {
    BitSet places = new BitSet(SizeGrid.COUNT);
    for (int place : SizeGrid.coarse()) {
      places.set(place);
    }
    int best = here;
    double most = Double.NEGATIVE_INFINITY;
    for (Evidence seen : knowledge.evidence()) {
      places.set(seen.index());
      if (seen.weight() > 1 && seen.level() > most) {
        most = seen.level();
        best = seen.index();
      }
    }
    places.set(Math.max(0, best - NEIGHBOURS), best + NEIGHBOURS + 1);
    places.set(here);
    places.set(last);
    places.clear(last + 1, Math.max(last + 1, places.length()));
    return places.stream().toArray();
  }

  /** Place in the grid of the smallest size that an experiment may go to. */
  int smallest() {
    List<Evidence> seen = knowledge.evidence();
    double least = seen.isEmpty() ? 1 : SizeGrid.size(seen.get(0).index());
    return SizeGrid.atLeast(least / LEAP);
  }

  /** Place in the grid of the largest size that comes into question. */
  int largest(Reading seen) {
    double useful = demand.useful(seen.telling());
    double leap = slow && !processors.idle() ? LEAP_WHEN_SLOW : LEAP;
    int tried = SizeGrid.size(Math.max(0, knowledge.reach()));
    int last = Math.min(SizeGrid.atLeast(NEARLY * useful), SizeGrid.atLeast(leap * tried));
    if (guard.careful()) {
      double step = Math.max(CollapseGuard.safe(processors.count()), LEAP_WITH_CARE * seen.size());
      double most = Math.min(guard.ceiling(), step);
      last = Math.min(last, Math.max(0, SizeGrid.atLeast(Math.floor(most) + 1) - 1));
    }
    if (seen.refusing() && knowledge.seconds() < YOUNG) {
      last = Math.min(last, knowledge.firstBeyond(WORSE));
    }
    boolean ample = processors.saturated() || seen.ample();
    return ample ? Math.min(last, SizeGrid.atLeast(seen.size())) : last;
  }
}
