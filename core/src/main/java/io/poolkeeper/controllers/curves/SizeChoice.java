package io.poolkeeper.controllers.curves;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The expected loss of each size, given the posterior of the curve, and the size where it is
 * smallest.
 *
 * <p>If a curve holds, the best size is the smallest whose reward is within the tolerance of the
 * best. A smaller size loses reward, a larger one wastes workers, at a price a doubling; the
 * expected loss is the mean over the hypotheses: the shapes, and curves drawn from the processes.
 */
public final class SizeChoice {

  private final CurvePosterior posterior;
  private final double tolerance;
  private final int[] places;
  private final double[] doublings;
  private final double logEnough;
  private final double doublingPrice;
  private final double[] loss;

  /** By shape and candidate: loss if the shape holds, times its probability. */
  private final List<double[]> lossOfShapes = new ArrayList<>();

  private final int best;

  /**
   * @param tolerance fraction of the best reward that may be missing
   * @param places the candidates: places in the grid, in their order
   * @param enough reward per second beyond which more is of no use; may be infinite
   * @param doublingPrice price of twice as many workers as are needed, as a part of the reward
   */
  public SizeChoice(
      CurvePosterior posterior,
      double tolerance,
      int[] places,
      double enough,
      double doublingPrice) {
    this.posterior = posterior;
    this.tolerance = tolerance;
    this.places = places;
    this.doublings = Arrays.stream(places).mapToDouble(SizeGrid::doublings).toArray();
    this.logEnough = StrictMath.log(enough) + tolerance;
    this.doublingPrice = doublingPrice;
    this.loss = new double[places.length];
    loseOnShapes();
    loseOnDraws();
    this.best = smallest(loss);
  }

  private void loseOnShapes() {
    if (posterior.shareOfShapes() == 0) {
      return;
    }
    double[] curve = new double[places.length];
    for (int h = 0; h < posterior.shapes().hypotheses(); h++) {
      for (int i = 0; i < places.length; i++) {
        curve[i] = posterior.shapes().level(h, places[i]);
      }
      double[] lost = losses(curve, posterior.shareOfShapes() * posterior.shapes().probability(h));
      lossOfShapes.add(lost);
    }
  }

  private void loseOnDraws() {
    for (int p = 0; p < posterior.processes(); p++) {
      double share = posterior.share(p) / ProcessKernel.DRAWS;
      if (share > 0) {
        for (double[] curve : posterior.process(p).draws(places)) {
          losses(curve, share);
        }
      }
    }
  }

  /** Returns the losses if a curve holds, times its probability; adds them to the expected. */
  private double[] losses(double[] curve, double probability) {
    double top = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < places.length; i++) {
      top = Math.max(top, curve[i]);
    }
    double acceptable = Math.min(top, logEnough) - tolerance;
    double[] losses = new double[places.length];
    int first = 0;
    while (first < places.length && curve[first] < acceptable) {
      first++;
    }
    for (int i = 0; i < first; i++) {
      losses[i] = Tuning.SHORTFALL_PRICE * probability * lost(acceptable - curve[i]);
    }
    double needed = first < places.length ? doublings[first] : 0;
    for (int i = first; i < places.length; i++) {
      double wasted = doublings[i] - needed;
      losses[i] =
          probability
              * (Tuning.SHORTFALL_PRICE * lost(Math.max(0, acceptable - curve[i]))
                  + doublingPrice * wasted);
    }
    for (int i = 0; i < places.length; i++) {
      loss[i] += losses[i];
    }
    return losses;
  }

  /** Returns the fraction lost where the logarithm is smaller: {@code 1 - exp(-less)}, nearly. */
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

  /** Returns the candidate with the smallest expected loss, as a place in the grid. */
  public int best() {
    return places[best];
  }

  /** Returns the candidates: places in the grid, in their order; not to be written to. */
  public int[] places() {
    return places;
  }

  /** Returns the expected loss of a candidate by its number, as a fraction of the reward. */
  double loss(int candidate) {
    return loss[candidate];
  }

  /** Returns the smallest expected loss of all candidates. */
  public double leastLoss() {
    return loss[best];
  }

  /** Returns the expected loss at a place in the grid, infinite if that is no candidate. */
  public double lossAt(int place) {
    for (int i = 0; i < places.length; i++) {
      if (places[i] == place) {
        return loss[i];
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  CurvePosterior posterior() {
    return posterior;
  }

  /** Returns the losses of each probable shape, times its probability; not to be written to. */
  List<double[]> lossOfShapes() {
    return lossOfShapes;
  }
}
