package io.poolkeeper.controllers;

import java.util.List;

/**
 * Visits to sizes that are far from all that were seen, whatever is believed of them. An {@link
 * Experiment} has to promise something, and a belief that is wrong promises nothing: behind a long
 * flat stretch of the curve nobody expects a stair. So a small share of the time goes into visits,
 * each size is visited once, and after hours no wide gap is left.
 *
 * @param allowance seconds that may be spent
 * @param visiting size that is visited, 0 for none
 */
public record Survey(double allowance, int visiting) {

  static final Survey NONE = new Survey(0, 0);

  /** Part of the time that visits may take. */
  private static final double SHARE = 0.01;

  /** Allowance from which a visit may begin, and the most that is saved up, in seconds. */
  private static final double ENOUGH = 0.5;

  private static final double MOST = 3;

  /** A visit goes at least so many doublings away from all sizes that were seen. */
  private static final double FAR = 0.2;

  /** Above a size with less than this part of the best reward there are no visits. */
  private static final double HOPELESS = 0.5;

  /** After a window of so many seconds at {@code size}. */
  Survey after(int size, boolean shrinking, double seconds) {
    boolean away = visiting > 0 && (size == visiting || shrinking);
    double earned = Math.min(MOST, allowance + SHARE * seconds);
    return new Survey(away ? earned - seconds : earned, away ? visiting : 0);
  }

  /** With a visit that begins. */
  Survey visit(int size) {
    return new Survey(allowance, size);
  }

  /**
   * Returns the place of the grid that is farthest from all evidence, or -1 if none is far, or if
   * there is no time for a visit.
   *
   * @param places that come into question, in their order
   * @param from the smallest of them to consider
   * @param to the largest
   * @param here place in force; none is visited to which the way down takes too long
   */
  int next(CurvePosterior belief, Knowledge knowledge, int[] places, int from, int to, int here) {
    List<Evidence> evidence = knowledge.evidence();
    if (allowance < ENOUGH || evidence.isEmpty()) {
      return -1;
    }
    int last = Math.min(to, knowledge.firstBeyond(HOPELESS));
    int found = -1;
    double farthest = FAR;
    for (int place : places) {
      double distance = Double.POSITIVE_INFINITY;
      for (Evidence seen : evidence) {
        double doublings = SizeGrid.doublings(place) - SizeGrid.doublings(seen.index());
        distance = Math.min(distance, Math.abs(doublings));
      }
      boolean near = Experiment.drain(belief, here, place) < allowance;
      if (place >= from && place <= last && near && distance > farthest) {
        farthest = distance;
        found = place;
      }
    }
    return found;
  }
}
