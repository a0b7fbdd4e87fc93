package io.poolkeeper.controllers.curves;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The gap between two sizes with evidence that most probably holds a break of the curve.
 *
 * @param below curves that follow the evidence below the gap
 * @param above curves that follow the evidence above it
 * @param lower last place of the grid below the gap
 * @param upper first place above it
 * @param logEvidence logarithm of the probability of the evidence with that break, up to the
 *     constant that all priors share
 */
record Break(
    ProcessPosterior below, ProcessPosterior above, int lower, int upper, double logEvidence) {

  /** Positions of the break within the gap. */
  private static final double[] POSITIONS = {1 / 6.0, 0.5, 5 / 6.0};

  /** Returns the most probable break; the list is empty if no neighbours differ much. */
  static List<Break> mostProbable(int[] index, double[] level, double[] noise) {
    Break found = null;
    int n = index.length;
    for (int j = 1; j < n; j++) {
      if (Math.abs(level[j] - level[j - 1]) < Tuning.LEAST_BREAK) {
        continue;
      }
      ProcessPosterior below = part(index, level, noise, 0, j);
      ProcessPosterior above = part(index, level, noise, j, n);
      double logEvidence =
          below.logEvidence() + above.logEvidence() - StrictMath.log(Tuning.BREAK_LEVEL * (n - 1));
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

  /**
   * Returns curves with the break at different positions within the gap, each as likely as the
   * others.
   */
  List<CurveDistribution> curves() {
    List<CurveDistribution> curves = new ArrayList<>();
    double width = SizeGrid.doublings(upper) - SizeGrid.doublings(lower);
    int last = lower;
    for (double position : POSITIONS) {
      double doublings = SizeGrid.doublings(lower) + position * width;
      int first =
          Math.min(upper, Math.max(lower + 1, SizeGrid.nearest(StrictMath.pow(2, doublings))));
      if (first > last) {
        curves.add(new BrokenCurve(below, above, first));
      }
      last = first;
    }
    return curves;
  }
}
