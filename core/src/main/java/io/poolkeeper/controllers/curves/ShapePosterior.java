package io.poolkeeper.controllers.curves;

import io.poolkeeper.controllers.curves.CurvePosterior.Level;
import org.jspecify.annotations.Nullable;

/**
 * The {@link CurveShapes} with their probabilities and factors, given the evidence. Bayes' rule
 * over the shapes; the factor has a flat prior and is integrated out.
 *
 * <p>The mean of the windows at one size is off the curve by noise, which shrinks with their
 * number, and by {@link Tuning#MISFIT}, because no shape is quite that of the plant.
 */
final class ShapePosterior {

  /** Logarithm of the probability against the best shape below which shapes are left out. */
  private static final double NEGLIGIBLE = StrictMath.log(Tuning.NEGLIGIBLE_SHAPE);

  private final int[] shape = new int[CurveShapes.count()];
  private final double[] probability = new double[CurveShapes.count()];
  private final double[] factor = new double[CurveShapes.count()];
  private final double factorVariance;
  private final double[] precision = new double[SizeGrid.COUNT];
  private final @Nullable Level[] levels = new Level[SizeGrid.COUNT];
  private final double logEvidence;
  private int hypotheses;

  /**
   * @param index places of the grid with evidence
   * @param level logarithm of the reward at each
   * @param noise variance of each
   * @param unknown variance of a factor of which nothing is known
   */
  ShapePosterior(int[] index, double[] level, double[] noise, double unknown) {
    double[] weight = new double[index.length];
    double sum = 0;
    double logDeterminant = 0;
    for (int j = 0; j < index.length; j++) {
      weight[j] = 1 / (noise[j] + Tuning.MISFIT * Tuning.MISFIT);
      precision[index[j]] = weight[j];
      sum += weight[j];
      logDeterminant -= StrictMath.log(weight[j]);
    }
    factorVariance = index.length == 0 ? unknown : 1 / sum;
    double best = weigh(index, level, weight);
    double total = keepTheProbable(best);
    logEvidence =
        best + StrictMath.log(total) - logDeterminant / 2 + StrictMath.log(factorVariance) / 2;
  }

  /**
   * Applies Bayes' rule: works out the best factor of each shape and the misfit with it. The inner
   * loops are over the shapes, which do not depend on each other: processors do several at a time.
   */
  private double weigh(int[] index, double[] level, double[] weight) {
    for (int j = 0; j < index.length; j++) {
      double[] log = CurveShapes.log(index[j]);
      for (int s = 0; s < factor.length; s++) {
        factor[s] += weight[j] * (level[j] - log[s]);
      }
    }
    for (int s = 0; s < factor.length; s++) {
      factor[s] *= factorVariance;
    }
    double[] misfit = new double[factor.length];
    for (int j = 0; j < index.length; j++) {
      double[] log = CurveShapes.log(index[j]);
      for (int s = 0; s < factor.length; s++) {
        double off = level[j] - log[s] - factor[s];
        misfit[s] += weight[j] * off * off;
      }
    }
    double best = Double.NEGATIVE_INFINITY;
    for (int s = 0; s < factor.length; s++) {
      probability[s] = CurveShapes.logPrior(s) - misfit[s] / 2;
      best = Math.max(best, probability[s]);
    }
    return best;
  }

  private double keepTheProbable(double best) {
    double sum = 0;
    for (int s = 0; s < factor.length; s++) {
      if (probability[s] - best >= NEGLIGIBLE) {
        shape[hypotheses] = s;
        factor[hypotheses] = factor[s];
        probability[hypotheses] = StrictMath.exp(probability[s] - best);
        sum += probability[hypotheses];
        hypotheses++;
      }
    }
    for (int h = 0; h < hypotheses; h++) {
      probability[h] /= sum;
    }
    return sum;
  }

  /** Returns the logarithm of the marginal likelihood, up to a constant that priors share. */
  double logEvidence() {
    return logEvidence;
  }

  /** Returns the logarithm of the reward at a place of the grid. */
  Level level(int index) {
    Level level = levels[index];
    if (level == null) {
      level = expected(index);
      levels[index] = level;
    }
    return level;
  }

  private Level expected(int index) {
    double mean = 0;
    for (int h = 0; h < hypotheses; h++) {
      mean += probability[h] * level(h, index);
    }
    double squares = 0;
    for (int h = 0; h < hypotheses; h++) {
      double off = level(h, index) - mean;
      squares += probability[h] * off * off;
    }
    return new Level(mean, squares + factorVariance);
  }

  /**
   * Returns the variance of the news that more windows at a place of the grid would bring. They
   * repeat the evidence there, and the misfit of the shapes stays however many they are.
   *
   * @param noise variance of the mean of the new windows
   */
  double surprise(int index, double noise) {
    double present = precision[index];
    if (present == 0) {
      return noise + Tuning.MISFIT * Tuning.MISFIT;
    }
    double ofNoise = Math.max(1e-9, 1 / present - Tuning.MISFIT * Tuning.MISFIT);
    double then = 1 / (1 / (1 / ofNoise + 1 / noise) + Tuning.MISFIT * Tuning.MISFIT);
    return 1 / Math.max(1e-9, then - present);
  }

  /** Returns the number of probable shapes; they are the hypotheses, numbered from 0. */
  int hypotheses() {
    return hypotheses;
  }

  double probability(int hypothesis) {
    return probability[hypothesis];
  }

  /** Returns the expected logarithm of the reward if the hypothesis holds. */
  double level(int hypothesis, int index) {
    return factor[hypothesis] + CurveShapes.log(index)[shape[hypothesis]];
  }
}
