package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.List;

/**
 * Visits to sizes that are far from all evidence. An experiment has to promise something, and a
 * wrong posterior promises nothing: behind a long flat stretch of the curve nobody expects a stair.
 * So a small share of the work goes into visits. Each size is visited once, and after hours no wide
 * gap is left. Work that a visit loses is counted, the ways there and back included: a visit to a
 * size as good as the usual one is free.
 *
 * @param allowance seconds of work that may be lost; negative after a visit that lost more
 * @param visiting size that is visited, 0 for none
 * @param usual reward per second before the visit
 */
record Exploration(double allowance, int visiting, double usual) {

  static final Exploration NONE = new Exploration(0, 0, 0);

  /** Earns or spends time in a window. */
  Exploration afterWindow(Observation window, double seconds) {
    boolean away = visiting > 0 && (window.size() == visiting || window.shrinking());
    double earned = Math.min(Tuning.MOST_VISIT_SECONDS, allowance + Tuning.VISIT_SHARE * seconds);
    double lost = away ? seconds * Math.max(0, 1 - window.rate() / usual) : 0;
    return new Exploration(earned - lost, away ? visiting : 0, usual);
  }

  /** Begins a visit. */
  Exploration visit(int size, double rate) {
    return new Exploration(allowance, size, rate);
  }

  /**
   * Returns the place of the grid that is farthest from all evidence, or -1 if none is far, or if a
   * visit to it is likely to lose more than is allowed.
   *
   * @param places candidates, in their order
   * @param first the smallest of them to consider
   * @param last the largest
   * @param here place in force
   */
  int next(
      CurvePosterior posterior, Knowledge knowledge, int[] places, int first, int last, int here) {
    List<Evidence> evidence = knowledge.evidence();
    if (allowance <= 0 || evidence.isEmpty()) {
      return -1;
    }
    boolean young = knowledge.seconds() < Tuning.HOPELESS_SECONDS;
    int end = young ? Math.min(last, knowledge.firstBeyond(Tuning.HOPELESS)) : last;
    int found = -1;
    double farthest = Tuning.VISIT_DISTANCE;
    for (int place : places) {
      double distance = Double.POSITIVE_INFINITY;
      for (Evidence entry : evidence) {
        double doublings = SizeGrid.doublings(place) - SizeGrid.doublings(entry.index());
        distance = Math.min(distance, Math.abs(doublings));
      }
      if (place >= first
          && place <= end
          && distance > farthest
          && price(posterior, here, place) < allowance) {
        farthest = distance;
        found = place;
      }
    }
    return found;
  }

  /** Returns the seconds of work that a visit is expected to lose. */
  private static double price(CurvePosterior posterior, int here, int place) {
    double rate = StrictMath.exp(posterior.level(place).mean());
    double tasks = Math.min(SizeGrid.size(place), Tuning.VISIT_COMPLETIONS);
    double there = Tuning.VISIT_SECONDS + tasks / rate;
    double ways = posterior.drainSeconds(here, place) + posterior.drainSeconds(place, here);
    return posterior.loss(place, here) * (there + ways / 2);
  }
}
