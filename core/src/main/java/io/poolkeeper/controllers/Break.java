package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The gap between two sizes seen that most probably holds a break of the curve.
 *
 * @param below curves that follow the evidence below the gap
 * @param above curves that follow the evidence above it
 * @param from last place of the grid below the gap
 * @param to first place above it
 * @param logEvidence logarithm of the probability of the evidence with that break, up to the
 *     constant that all priors share
 */
record Break(ProcessPosterior below, ProcessPosterior above, int from, int to, double logEvidence) {

  /** Neighbours that differ by less are no break. */
  private static final double LEAST = 0.2;

  /** Standard deviation of the level above a break, before it is seen. */
  private static final double LEVEL = 1.5;

  /** Positions of the break within the gap that are told apart. */
  private static final double[] POSITIONS = {1 / 6.0, 0.5, 5 / 6.0};

  /** The most probable break as a list of one, empty if no neighbours differ much. */
  static List<Break> mostProbable(int[] index, double[] level, double[] noise) {
    Break found = null;
    int n = index.length;
    for (int j = 1; j < n; j++) {
      if (Math.abs(level[j] - level[j - 1]) < LEAST) {
        continue;
      }
      ProcessPosterior below = part(index, level, noise, 0, j);
      ProcessPosterior above = part(index, level, noise, j, n);
      double logEvidence =
          below.logEvidence() + above.logEvidence() - StrictMath.log(LEVEL * (n - 1));
      if (found == null || logEvidence > found.logEvidence) {
        found = new Break(below, above, index[j - 1], index[j], logEvidence);
      }
    }
    return found == null ? List.of() : List.of(found);
  }

  private static ProcessPosterior part(
      int[] index, double[] level, double[] noise, int first, int end) {
    return new ProcessPosterior(
        ProcessKernel.SMOOTH,
        Arrays.copyOfRange(index, first, end),
        Arrays.copyOfRange(level, first, end),
        Arrays.copyOfRange(noise, first, end));
  }

  /** Curves with the break at different positions within the gap, each as likely as the others. */
  List<Curves> curves() {
    List<Curves> curves = new ArrayList<>();
    double width = SizeGrid.doublings(to) - SizeGrid.doublings(from);
    int last = from;
    for (double position : POSITIONS) {
      double doublings = SizeGrid.doublings(from) + position * width;
      int first = Math.min(to, Math.max(from + 1, SizeGrid.nearest(StrictMath.pow(2, doublings))));
      if (first > last) {
        curves.add(new BrokenCurves(below, above, first));
      }
      last = first;
    }
    return curves;
  }
}
