package io.tidepool.controllers;

import java.util.List;

/**
 * What the curve is believed to be: each of the {@link CurveShapes} with its probability, and its
 * factor, given the evidence. Bayes' rule over the shapes; the factor has no prior and is taken out
 * in closed form.
 *
 * <p>The mean of the windows at one size is off the curve by noise, which shrinks with their
 * number, and by {@value #MISFIT}, because no shape is quite that of the plant. How the level that
 * all sizes share drifts is followed by {@link Drift}.
 */
final class CurveBelief {

  /** Standard deviation of a plant around the best of the shapes, as a fraction. */
  static final double MISFIT = 0.015;

  /** How much less windows say than independent ones: neighbours in time are alike. */
  static final double CORRELATION = 1.8;

  /** Variance of a factor of which nothing is known. */
  private static final double UNKNOWN = 100;

  /** Shapes that are less probable than this, against the most probable one, are left out. */
  private static final double NEGLIGIBLE = StrictMath.log(1e-4);

  private final int[] shape = new int[CurveShapes.count()];
  private final double[] probability = new double[CurveShapes.count()];
  private final double[] factor = new double[CurveShapes.count()];
  private final double factorVariance;
  private final double[] precision = new double[SizeGrid.COUNT];
  private final Level[] levels = new Level[SizeGrid.COUNT];
  private int hypotheses;

  CurveBelief(Knowledge knowledge) {
    List<Evidence> evidence = knowledge.evidence();
    int count = evidence.size();
    double[] precision = new double[count];
    int[] index = new int[count];
    double[] level = new double[count];
    double sum = 0;
    for (int j = 0; j < count; j++) {
      Evidence one = evidence.get(j);
      double ofNoise = CORRELATION * Noise.USUAL / one.weight();
      precision[j] = 1 / (ofNoise + MISFIT * MISFIT);
      index[j] = one.index();
      level[j] = one.level();
      sum += precision[j];
      this.precision[one.index()] = precision[j];
    }
    factorVariance = count == 0 ? UNKNOWN : 1 / sum;
    weigh(index, level, precision);
    for (int i = 0; i < levels.length; i++) {
      levels[i] = expected(i);
    }
  }

  /** Bayes' rule: the factor that fits best, and how well it fits, of each shape. */
  private void weigh(int[] index, double[] level, double[] precision) {
    double best = Double.NEGATIVE_INFINITY;
    for (int s = 0; s < factor.length; s++) {
      double[] log = CurveShapes.log(s);
      double mean = 0;
      for (int j = 0; j < index.length; j++) {
        mean += precision[j] * (level[j] - log[index[j]]);
      }
      mean = index.length == 0 ? 0 : mean * factorVariance;
      double misfit = 0;
      for (int j = 0; j < index.length; j++) {
        double off = level[j] - log[index[j]] - mean;
        misfit += precision[j] * off * off;
      }
      factor[s] = mean;
      probability[s] = CurveShapes.logPrior(s) - misfit / 2;
      best = Math.max(best, probability[s]);
    }
    keepTheProbable(best);
  }

  private void keepTheProbable(double best) {
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
  }

  private Level expected(int index) {
    double mean = 0;
    double square = 0;
    for (int h = 0; h < hypotheses; h++) {
      double level = level(h, index);
      mean += probability[h] * level;
      square += probability[h] * level * level;
    }
    return new Level(mean, Math.max(0, square - mean * mean) + factorVariance);
  }

  /**
   * Variance of what more windows at a place of the grid would say that is not known yet. What is
   * known there already they say again, and the misfit of the shapes stays however many they are.
   */
  double surprise(int index, double windows, double variance) {
    double known = precision[index];
    double noise = CORRELATION * variance / windows;
    if (known == 0) {
      return noise + MISFIT * MISFIT;
    }
    double ofNoise = Math.max(1e-9, 1 / known - MISFIT * MISFIT);
    double then = 1 / (1 / (1 / ofNoise + 1 / noise) + MISFIT * MISFIT);
    return 1 / Math.max(1e-9, then - known);
  }

  /** Whether there is any evidence. */
  boolean informed() {
    return factorVariance < UNKNOWN;
  }

  /** How many shapes are probable at all; they are the hypotheses, numbered from 0. */
  int hypotheses() {
    return hypotheses;
  }

  /** Which of the {@link CurveShapes} a hypothesis is. */
  int shape(int hypothesis) {
    return shape[hypothesis];
  }

  double probability(int hypothesis) {
    return probability[hypothesis];
  }

  /** Logarithm of the factor by which the shape is to be multiplied. */
  double factor(int hypothesis) {
    return factor[hypothesis];
  }

  /** Expected logarithm of the reward at a place of the grid if the hypothesis holds. */
  double level(int hypothesis, int index) {
    return factor[hypothesis] + CurveShapes.log(shape[hypothesis])[index];
  }

  /**
   * Of the logarithm of the reward at a place of the grid.
   *
   * @param mean expected
   * @param variance of what is believed, without the noise of a window
   */
  record Level(double mean, double variance) {}

  /** What is expected at a place of the grid. */
  Level level(int index) {
    return levels[index];
  }
}
