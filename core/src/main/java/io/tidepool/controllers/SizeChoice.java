package io.tidepool.controllers;

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
  static final double DOUBLING = 0.04;

  /** How many times a fraction of reward lost beyond the tolerance counts. */
  private static final double SHORTFALL = 2;

  /** What is learned is of use for so long, seconds: work changes. */
  private static final double HORIZON = 60;

  /** Windows that an experiment is taken to last: few tell large differences, many small ones. */
  private static final int[] DWELL = {4, 16};

  /** The sizes that an experiment may go to, in places of the grid from the best one. */
  private static final int[] ASIDE = {-16, -11, -8, -5, -3, -2, -1, 1, 2, 3, 5, 8, 12};

  /** Outcomes of an experiment that are told apart, each two standard deviations wide. */
  private static final int OUTCOMES = 9;

  private static final int MIDDLE = OUTCOMES / 2;

  private final CurveBelief belief;
  private final double tolerance;
  private final int last;
  private final double enough;
  private final double[] loss = new double[SizeGrid.COUNT];

  /** By hypothesis and place in the grid: loss if the hypothesis holds, times its probability. */
  private final double[][] lossIf;

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
    this.lossIf = new double[belief.hypotheses()][];
    for (int h = 0; h < lossIf.length; h++) {
      lossIf[h] = lossIf(h);
      for (int i = 0; i <= last; i++) {
        loss[i] += lossIf[h][i];
      }
    }
    for (int i = 1; i <= last; i++) {
      if (loss[i] < loss[best]) {
        best = i;
      }
    }
  }

  private double[] lossIf(int hypothesis) {
    double probability = belief.probability(hypothesis);
    double[] value = CurveShapes.value(belief.shape(hypothesis));
    double top = 0;
    for (int i = 0; i <= last; i++) {
      top = Math.max(top, value[i]);
    }
    if (enough < Double.POSITIVE_INFINITY) {
      top = Math.min(top, enough * StrictMath.exp(tolerance - belief.factor(hypothesis)));
    }
    double acceptable = top * (1 - tolerance);
    double shortfall = top > 0 ? SHORTFALL * probability / top : 0; // 0 where nothing is needed.
    double doubling = DOUBLING * probability;
    double[] losses = new double[last + 1];
    int first = 0;
    while (first <= last && value[first] < acceptable) {
      losses[first] = shortfall * (acceptable - value[first]);
      first++;
    }
    for (int i = first; i <= last; i++) {
      double wasted = SizeGrid.doublings(i) - SizeGrid.doublings(first);
      losses[i] = shortfall * Math.max(0, acceptable - value[i]) + doubling * wasted;
    }
    return losses;
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
   * The most promising experiment, of any length: what is gained if the best size is chosen after
   * its outcome, over all outcomes, less what standing there costs. It need not last as long as
   * planned, since every window that it brings is followed by a new choice.
   *
   * @param from the smallest place in the grid to consider
   * @param to the largest place
   * @param variance of the logarithm of the reward of a window like the last
   * @param unsteady variance of the logarithm of the level of all sizes, which drifts
   * @param seconds length of a window
   * @param worthwhile the least that it must promise, in windows' worth of reward
   */
  Experiment experiment(
      int from, int to, double variance, double unsteady, double seconds, double worthwhile) {
    // Outcomes overlap, so half of what separate ones would teach.
    double useful = 0.5 * HORIZON / seconds;
    Experiment found = Experiment.NONE;
    for (int dwell : DWELL) {
      for (int aside : ASIDE) {
        int index = best + aside;
        if (index >= from && index <= Math.min(to, last)) {
          double cost = dwell * (loss[index] - loss[best]);
          double least = Math.max(worthwhile, found.gain());
          // Where not even certainty would be worth it, nothing has to be worked out.
          if (useful * loss[best] - cost > least) {
            double width = 2 * Math.sqrt(belief.surprise(index, dwell, variance) + unsteady);
            double gain = useful * learned(index, width) - cost;
            if (gain > least) {
              found = new Experiment(index, gain);
            }
          }
        }
      }
    }
    return found;
  }

  /** How much smaller the loss is expected to be after an outcome, which is so wide, at a size. */
  private double learned(int index, double width) {
    double centre = belief.level(index).mean();
    double[][] losses = new double[OUTCOMES][last + 1];
    for (int h = 0; h < belief.hypotheses(); h++) {
      double off = (belief.level(h, index) - centre) / width;
      int outcome = MIDDLE + (int) Math.rint(Math.max(-MIDDLE, Math.min(MIDDLE, off)));
      for (int i = 0; i <= last; i++) {
        losses[outcome][i] += lossIf[h][i];
      }
    }
    double learned = loss[best];
    for (double[] sum : losses) {
      learned -= smallest(sum);
    }
    return learned;
  }

  private static double smallest(double[] losses) {
    double smallest = Double.POSITIVE_INFINITY;
    for (double one : losses) {
      smallest = Math.min(smallest, one);
    }
    return smallest;
  }
}
