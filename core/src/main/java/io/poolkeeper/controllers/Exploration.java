package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;

/**
 * Visits to sizes that are far from all evidence. An experiment has to promise something, and a
 * wrong posterior promises nothing: behind a long flat stretch of the curve nobody expects a stair.
 * So a small share of the time goes into visits, to the widest gaps first and rarely to narrow
 * ones. Each size is visited once, and after hours no wide gap is left.
 *
 * <p>A fall of the reward may outlast its cause: many workers keep a stalled disk slow. So the size
 * that was in force before the fall is tried again, the more rarely the oftener it was in vain.
 *
 * @param allowance seconds that may be spent
 * @param roughness probability that the curve is none of the usual shapes; then more is visited
 * @param visiting size that is visited, or to which the pool returns; 0 for none
 * @param returning whether it is a return, which takes nothing from the allowance
 * @param seconds since the last return to an earlier size, or since the work changed
 * @param pause least of them before the next return
 * @param former place in the grid of the latest return, -1 if there was none
 */
record Exploration(
    double allowance,
    double roughness,
    int visiting,
    boolean returning,
    double seconds,
    double pause,
    int former) {

  static final Exploration NONE = new Exploration(0, 0, 0, false, 0, Tuning.RETURN_SECONDS, -1);

  /** Earns or spends time in a window. */
  Exploration afterWindow(int size, boolean shrinking, double length) {
    boolean away = visiting > 0 && (size == visiting || shrinking);
    double share = Tuning.VISIT_SHARE + roughness * Tuning.ROUGH_VISIT_SHARE;
    double earned = Math.min(Tuning.MOST_VISIT_SECONDS, allowance + share * length);
    return new Exploration(
        away && !returning ? earned - length : earned,
        roughness,
        away ? visiting : 0,
        away && returning,
        seconds + length,
        pause,
        former);
  }

  /** Takes over the probability that the curve is none of the usual shapes. */
  Exploration withRoughness(double probability) {
    return new Exploration(allowance, probability, visiting, returning, seconds, pause, former);
  }

  /**
   * Begins a visit.
   *
   * @param dearness by which it takes more of the allowance than its own time
   */
  Exploration visit(int size, double dearness) {
    double left = allowance - (dearness - 1) * Tuning.VISIT_SECONDS;
    return new Exploration(left, roughness, size, false, seconds, pause, former);
  }

  /**
   * Returns how many times dearer than usual a visit is, 1 or more: it finds less in a narrow gap.
   */
  static double dearness(Knowledge knowledge, int place) {
    double narrow = Math.max(1, Tuning.VISIT_USUAL_DISTANCE / distance(knowledge, place));
    return narrow * narrow;
  }

  /** Returns the doublings from a place of the grid to the nearest evidence. */
  private static double distance(Knowledge knowledge, int place) {
    double least = Double.POSITIVE_INFINITY;
    for (Evidence entry : knowledge.evidence()) {
      double doublings = SizeGrid.doublings(place) - SizeGrid.doublings(entry.index());
      least = Math.min(least, Math.abs(doublings));
    }
    return least;
  }

  /** Begins a return to the size of earlier work. */
  Exploration returnTo(int place) {
    return new Exploration(allowance, roughness, SizeGrid.size(place), true, 0, 2 * pause, place);
  }

  /**
   * Returns whether it is time for another return.
   *
   * @param wayDown seconds until the last worker too many is free
   */
  boolean isReturnDue(double wayDown) {
    return seconds >= Math.max(pause, wayDown);
  }

  /**
   * Returns the place of the grid that is farthest from all evidence, or -1 if none is far, or if
   * there is no time for a visit.
   *
   * @param places candidates, in their order
   * @param first the smallest of them to consider
   * @param last the largest
   * @param here place in force; places to which the way down takes too long are left out
   */
  int next(
      CurvePosterior posterior, Knowledge knowledge, int[] places, int first, int last, int here) {
    if (allowance < Tuning.VISIT_SECONDS || knowledge.evidence().isEmpty()) {
      return -1;
    }
    int end = Math.min(last, knowledge.firstBeyond(Tuning.HOPELESS, 2));
    int found = -1;
    double farthest = Tuning.VISIT_DISTANCE;
    for (int place : places) {
      double distance = distance(knowledge, place);
      boolean near = posterior.drainSeconds(here, place) < allowance;
      if (place >= first && place <= end && near && distance > farthest) {
        farthest = distance;
        found = place;
      }
    }
    boolean affordable =
        found >= 0 && allowance >= dearness(knowledge, found) * Tuning.VISIT_SECONDS;
    return affordable ? found : -1;
  }
}
