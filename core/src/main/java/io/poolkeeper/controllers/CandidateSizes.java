package io.poolkeeper.controllers;

import io.poolkeeper.Bounds;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.BitSet;
import java.util.List;

/**
 * The sizes that are candidates after a window.
 *
 * @param bounds of the pool
 * @param slow whether a task takes longer than a window
 */
record CandidateSizes(
    Knowledge knowledge,
    Demand demand,
    CollapseGuard guard,
    GrowthTrial growth,
    ProcessorLoad load,
    Bounds bounds,
    boolean slow) {

  /**
   * Returns the candidates up to a place: the coarse part of the grid, sizes with evidence, and the
   * neighbourhood of the best of them.
   */
  int[] upTo(int last, int here) {
    BitSet places = new BitSet(SizeGrid.COUNT);
    for (int place : SizeGrid.coarse()) {
      places.set(place);
    }
    int best = here;
    double most = Double.NEGATIVE_INFINITY;
    for (Evidence entry : knowledge.evidence()) {
      places.set(entry.index());
      if (entry.weight() > 1 && entry.level() > most) {
        most = entry.level();
        best = entry.index();
      }
    }
    places.set(Math.max(0, best - Tuning.NEIGHBOURS), best + Tuning.NEIGHBOURS + 1);
    places.set(here);
    places.set(last);
    places.clear(last + 1, Math.max(last + 1, places.length()));
    places.clear(0, Math.min(last, first()));
    return places.stream().toArray();
  }

  /**
   * Returns the place in the grid of the smallest size for an experiment. A limit that rejects goes
   * down in small steps: there is always work that a smaller size would refuse. Where completions
   * count, a size is left out at which each worker would have to do far more than it can.
   */
  int smallest(Observation window) {
    List<Evidence> evidence = knowledge.evidence();
    double least = evidence.isEmpty() ? 1 : SizeGrid.size(evidence.get(0).index());
    int reach = SizeGrid.atLeast(least / (window.rejecting() ? Tuning.PATIENT_LEAP : Tuning.LEAP));
    return window.rejecting() || !window.countsCompletions()
        ? Math.max(first(), reach)
        : Math.max(Math.max(first(), reach), knowledge.smallestHopeful());
  }

  /** Returns the place in the grid of the largest candidate. */
  int largest(Observation window) {
    return Math.min(promising(window), SizeGrid.nearest(bounds.maximum()));
  }

  /**
   * Returns the place in the grid of the largest size that could be of use, whatever the bounds. A
   * limit that rejects goes beyond a worse size only near the best: its rejections would fill any
   * size, and once it has let in too many tasks, all tasks wait until they have left.
   */
  int promising(Observation window) {
    double useful = demand.usefulWorkers(window.atCapacity());
    boolean patient = (slow && !load.idle()) || window.rejecting();
    double leap =
        isSparse(window) ? Tuning.SPARSE_LEAP : patient ? Tuning.PATIENT_LEAP : Tuning.LEAP;
    int tried = SizeGrid.size(Math.max(0, knowledge.largestTried()));
    int last = Math.min(SizeGrid.atLeast(Tuning.NEARLY * useful), SizeGrid.atLeast(leap * tried));
    if (guard.limiting()) {
      double step = Math.max(CollapseGuard.safe(load.count()), Tuning.CAREFUL_LEAP * window.size());
      double most = Math.min(guard.ceiling(), Math.max(step, guard.proven()));
      last = Math.min(last, below(most));
    }
    if (growth.isBarring()) {
      last = Math.min(last, below(growth.ceiling()));
    }
    if (window.rejecting()) {
      double best = SizeGrid.size(knowledge.best());
      int near = SizeGrid.atLeast(Math.max(Tuning.LEAP, Tuning.NEAR_BEST * best));
      last = Math.min(last, Math.max(near, knowledge.firstBeyond(Tuning.WORSE, 0)));
    }
    boolean oversized = load.saturated() || window.oversized();
    return oversized ? Math.min(last, SizeGrid.atLeast(window.size())) : last;
  }

  /** Returns the place in the grid of the smallest size within the bounds. */
  private int first() {
    return SizeGrid.nearest(bounds.minimum());
  }

  /** Returns the place in the grid of the largest size that is not above a number. */
  private static int below(double most) {
    return Math.max(0, SizeGrid.atLeast(Math.floor(most) + 1) - 1);
  }

  /**
   * Returns whether next to nothing has ended. Where each worker has ended a task and as many wait,
   * even two show what a task takes.
   */
  private static boolean isSparse(Observation window) {
    return window.completions() < Tuning.ENOUGH_COMPLETIONS
        && (window.completions() < Math.max(2, window.size()) || window.waiting() < window.size());
  }
}
