package io.tidepool.controllers;

import java.util.Arrays;

/**
 * What each size is expected to cost, given what is believed of the curve, and which size to take:
 * the one with the smallest expected loss, or one whose window would say enough about the others.
 *
 * <p>If a shape holds, the best size is the smallest whose reward is within the tolerance of the
 * best. A smaller size loses reward, a larger one wastes workers, at {@value #DOUBLING} a doubling;
 * the expected loss is the mean over the shapes.
 */
final class SizeChoice {

  /** Price of twice as many workers as are needed, as a fraction of the reward. */
  static final double DOUBLING = 0.02;

  /** How many times a fraction of reward lost beyond the tolerance counts. */
  private static final double SHORTFALL = 2;

  /** What is learned is of use for so long, seconds: work changes. */
  private static final double HORIZON = 100;

  /** Windows that an experiment is taken to last. */
  private static final int DWELL = 4;

  /** The sizes that an experiment may go to, in places of the grid from the best one. */
  private static final int[] ASIDE = {-8, -5, -3, -2, -1, 1, 2, 3, 5, 8};

  /** An experiment must promise so much, in windows' worth of reward. */
  private static final double WORTHWHILE = 0.02;

  /** Outcomes of an experiment that are told apart, each two standard deviations wide. */
  private static final int OUTCOMES = 9;

  private static final int MIDDLE = OUTCOMES / 2;

  private final CurveBelief belief;
  private final double tolerance;
  private final int last;
  private final double enough;
  private final double[] loss = new double[SizeGrid.COUNT];
  private final double[] one = new double[SizeGrid.COUNT];
  private int best;

  /**
   * @param tolerance fraction of the best reward that may be missing
   * @param last place in the grid of the largest size that comes into question
   * @param enough reward per second beyond which more is of no use; may be infinite
   */
  SizeChoice(CurveBelief belief, double tolerance, int last, double enough) {
    this.belief = belief;
    this.tolerance = tolerance;
    this.last = last;
    this.enough = enough;
    for (int h = 0; h < belief.hypotheses(); h++) {
      lossIf(h);
      for (int i = 0; i <= last; i++) {
        loss[i] += one[i];
      }
    }
    for (int i = 1; i <= last; i++) {
      if (loss[i] < loss[best]) {
        best = i;
      }
    }
  }

  /** Fills {@link #one}: loss at each size if the hypothesis holds, times its probability. */
  private void lossIf(int hypothesis) {
    double probability = belief.probability(hypothesis);
    double[] value = CurveShapes.value(belief.shape(hypothesis));
    double top = 0;
    for (int i = 0; i <= last; i++) {
      top = Math.max(top, value[i]);
    }
    if (enough < Double.POSITIVE_INFINITY) {
      top = Math.min(top, enough * StrictMath.exp(tolerance - belief.factor(hypothesis)));
    }
    int first = -1;
    for (int i = 0; i <= last; i++) {
      double missing = Math.max(0, 1 - value[i] / top);
      if (first < 0 && missing <= tolerance) {
        first = i;
      }
      double wasted = first < 0 ? 0 : SizeGrid.doublings(i) - SizeGrid.doublings(first);
      one[i] = probability * (SHORTFALL * Math.max(0, missing - tolerance) + DOUBLING * wasted);
    }
  }

  /** The place in the grid with the smallest expected loss. */
  int best() {
    return best;
  }

  /** Expected loss at a place of the grid, as a fraction of the reward. */
  double loss(int index) {
    return loss[index];
  }

  /**
   * An experiment.
   *
   * @param index where to go
   * @param gain what it promises, in windows' worth of reward, its cost taken off
   */
  record Experiment(int index, double gain) {
    static final Experiment NONE = new Experiment(-1, 0);
  }

  /**
   * The most promising experiment: what is gained if the best size is chosen after its outcome,
   * over all outcomes, less what standing there costs.
   *
   * @param from the smallest place in the grid to consider
   * @param to the largest place
   * @param variance of the logarithm of the reward of one window
   * @param seconds length of a window
   */
  Experiment experiment(int from, int to, double variance, double seconds) {
    double deviation =
        Math.sqrt(
            CurveBelief.CORRELATION * variance / DWELL
                + 2 * CurveBelief.MISFIT * CurveBelief.MISFIT);
    double[][][] losses = new double[ASIDE.length][OUTCOMES][];
    double[] centre = new double[ASIDE.length];
    for (int a = 0; a < ASIDE.length; a++) {
      int index = best + ASIDE[a];
      if (index >= from && index <= Math.min(to, last)) {
        centre[a] = belief.level(index).mean();
      }
    }
    for (int h = 0; h < belief.hypotheses(); h++) {
      lossIf(h);
      for (int a = 0; a < ASIDE.length; a++) {
        int index = best + ASIDE[a];
        if (index >= from && index <= Math.min(to, last)) {
          double off = (belief.level(h, index) - centre[a]) / (2 * deviation);
          add(losses[a], MIDDLE + (int) Math.rint(Math.max(-MIDDLE, Math.min(MIDDLE, off))));
        }
      }
    }
    Experiment found = Experiment.NONE;
    for (int a = 0; a < ASIDE.length; a++) {
      int index = best + ASIDE[a];
      if (index >= from && index <= Math.min(to, last)) {
        double learned = loss[best] - Arrays.stream(losses[a]).mapToDouble(this::smallest).sum();
        // Outcomes overlap, so half of what separate ones would teach.
        double gain = 0.5 * learned * HORIZON / seconds - DWELL * (loss[index] - loss[best]);
        if (gain > WORTHWHILE && gain > found.gain()) {
          found = new Experiment(index, gain);
        }
      }
    }
    return found;
  }

  private void add(double[][] losses, int outcome) {
    double[] sum = losses[outcome];
    if (sum == null) {
      losses[outcome] = Arrays.copyOf(one, last + 1);
    } else {
      for (int i = 0; i <= last; i++) {
        sum[i] += one[i];
      }
    }
  }

  private double smallest(double[] losses) {
    return losses == null ? 0 : Arrays.stream(losses).min().orElse(0);
  }
}
