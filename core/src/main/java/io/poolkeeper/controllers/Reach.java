package io.poolkeeper.controllers;

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

  /** The same where tasks take longer than a window, or a limit refuses: the way back is long. */
  private static final double LEAP_WITH_PATIENCE = 2;

  /** The same after a collapse. */
  private static final double LEAP_WITH_CARE = 1.5;

  /**
   * Part of the best reward that is worse. A limit that refuses leaves the sizes alone that lie
   * beyond one that is worse, unless they are near the best: what it refuses would fill any size,
   * and when it has let in too many, everybody waits until they have left.
   */
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
    boolean wary = (slow && !processors.idle()) || seen.refusing();
    double leap = wary ? LEAP_WITH_PATIENCE : LEAP;
    int tried = SizeGrid.size(Math.max(0, knowledge.reach()));
    int last = Math.min(SizeGrid.atLeast(NEARLY * useful), SizeGrid.atLeast(leap * tried));
    if (guard.careful()) {
      double step = Math.max(CollapseGuard.safe(processors.count()), LEAP_WITH_CARE * seen.size());
      double most = Math.min(guard.ceiling(), step);
      last = Math.min(last, Math.max(0, SizeGrid.atLeast(Math.floor(most) + 1) - 1));
    }
    if (seen.refusing()) {
      int near = SizeGrid.atLeast(LEAP * SizeGrid.size(knowledge.best()));
      last = Math.min(last, Math.max(near, knowledge.firstBeyond(WORSE)));
    }
    boolean ample = processors.saturated() || seen.ample();
    return ample ? Math.min(last, SizeGrid.atLeast(seen.size())) : last;
  }
}
