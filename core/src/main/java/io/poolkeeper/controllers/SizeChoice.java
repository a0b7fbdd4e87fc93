package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.List;

/**
 * The expected loss of each size, given the belief about the curve, and the size where it is
 * smallest.
 *
 * <p>If a curve holds, the best size is the smallest whose reward is within the tolerance of the
 * best. A smaller size loses reward, a larger one wastes workers, at {@value #DOUBLING} a doubling;
 * the expected loss is the mean over the hypotheses: the shapes, and curves drawn from the
 * processes.
 */
final class SizeChoice {

  /** Price of twice as many workers as are needed, as a fraction of the reward. */
  static final double DOUBLING = 0.04;

  /** How many times a fraction of reward lost beyond the tolerance counts. */
  private static final double SHORTFALL = 2;

  private final CurvePosterior belief;
  private final double tolerance;
  private final int[] places;
  private final double logEnough;
  private final double[] loss;

  /** By shape and candidate: loss if the shape holds, times its probability. */
  private final List<double[]> lossOfShapes = new ArrayList<>();

  private final int best;

  /**
   * @param tolerance fraction of the best reward that may be missing
   * @param places the candidates: places in the grid, in their order
   * @param enough reward per second beyond which more is of no use; may be infinite
   */
  SizeChoice(CurvePosterior belief, double tolerance, int[] places, double enough) {
    this.belief = belief;
    this.tolerance = tolerance;
    this.places = places;
    this.logEnough = StrictMath.log(enough) + tolerance;
    this.loss = new double[places.length];
    loseOnShapes();
    loseOnDraws();
    this.best = smallest(loss);
  }

  private void loseOnShapes() {
    if (belief.shareOfShapes() == 0) {
      return;
    }
    double[] curve = new double[places.length];
    for (int h = 0; h < belief.shapes().hypotheses(); h++) {
      for (int i = 0; i < places.length; i++) {
        curve[i] = belief.shapes().level(h, places[i]);
      }
      double[] lost = losses(curve, belief.shareOfShapes() * belief.shapes().probability(h));
      lossOfShapes.add(lost);
    }
  }

  private void loseOnDraws() {
    for (int p = 0; p < belief.processes(); p++) {
      double share = belief.share(p) / ProcessKernel.DRAWS;
      for (int d = 0; d < ProcessKernel.DRAWS && share > 0; d++) {
        losses(belief.process(p).draw(d, places), share);
      }
    }
  }

  /** Losses if a curve holds, times its probability; adds them to the expected ones. */
  private double[] losses(double[] curve, double probability) {
    double top = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < places.length; i++) {
      top = Math.max(top, curve[i]);
    }
    double acceptable = Math.min(top, logEnough) - tolerance;
    double[] losses = new double[places.length];
    int first = 0;
    while (first < places.length && curve[first] < acceptable) {
      losses[first] = SHORTFALL * probability * lost(acceptable - curve[first]);
      first++;
    }
    for (int i = first; i < places.length; i++) {
      double wasted = SizeGrid.doublings(places[i]) - SizeGrid.doublings(places[first]);
      losses[i] =
          probability * (SHORTFALL * lost(Math.max(0, acceptable - curve[i])) + DOUBLING * wasted);
    }
    for (int i = 0; i < places.length; i++) {
      loss[i] += losses[i];
    }
    return losses;
  }

  /** Fraction lost where the logarithm is so much smaller: {@code 1 - exp(-less)}, nearly. */
  static double lost(double less) {
    double square = 1 + less / 4;
    square *= square;
    return 1 - 1 / (square * square);
  }

  static int smallest(double[] values) {
    int smallest = 0;
    for (int i = 1; i < values.length; i++) {
      if (values[i] < values[smallest]) {
        smallest = i;
      }
    }
    return smallest;
  }

  /** The candidate with the smallest expected loss, as a place in the grid. */
  int best() {
    return places[best];
  }

  /** The candidates: places in the grid, in their order; not to be written to. */
  int[] places() {
    return places;
  }

  /** Expected loss of a candidate by its number, as a fraction of the reward. */
  double loss(int candidate) {
    return loss[candidate];
  }

  /** The smallest expected loss of all candidates. */
  double leastLoss() {
    return loss[best];
  }

  /** Expected loss at a place in the grid, infinite if that is no candidate. */
  double lossAt(int place) {
    for (int i = 0; i < places.length; i++) {
      if (places[i] == place) {
        return loss[i];
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  CurvePosterior belief() {
    return belief;
  }

  /** Losses of each shape that is probable, times its probability; not to be written to. */
  List<double[]> lossOfShapes() {
    return lossOfShapes;
  }
}
