package io.tidepool.controllers;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Belief about the response curve, given the evidence: a mixture of the {@link CurveShapes}, which
 * most pools follow, and of Gaussian processes from smooth to rough, for those that do not. Each
 * prior counts by how well it foretold the evidence (its marginal likelihood), so curves that fit
 * no shape make the belief rough, and the uncertainty about sizes that were not seen grows.
 */
final class CurvePosterior {

  /** Ratio of the variance of a mean of windows to that of as many independent ones. */
  static final double CORRELATION = 1.8;

  /** Variance of a level of which nothing is known. */
  private static final double UNKNOWN = 100;

  /** Share of the shapes before anything is known; the processes share the rest. */
  private static final double PRIOR_OF_SHAPES = 0.6;

  /** Share of the roughest process at least: no evidence elsewhere rules out a step at a size. */
  private static final double ALWAYS = 0.01;

  /** Priors with a smaller share are left out. */
  private static final double NEGLIGIBLE = 1e-3;

  private final ShapePosterior shapes;
  private final ProcessPosterior[] processes;
  private final double shareOfShapes;
  private final double[] shares;
  private final int[] index;
  private final double[] level;
  private final double[] noise;
  private final @Nullable Level[] levels = new Level[SizeGrid.COUNT];

  CurvePosterior(Knowledge knowledge) {
    List<Evidence> evidence = knowledge.evidence();
    int count = evidence.size();
    index = new int[count];
    level = new double[count];
    noise = new double[count];
    for (int j = 0; j < count; j++) {
      Evidence seen = evidence.get(j);
      index[j] = seen.index();
      level[j] = seen.level();
      noise[j] = CORRELATION * Noise.USUAL / seen.weight();
    }
    shapes = new ShapePosterior(index, level, noise, UNKNOWN);
    ProcessKernel[] kernels = ProcessKernel.values();
    processes = new ProcessPosterior[count == 0 ? 0 : kernels.length];
    shares = new double[processes.length];
    double best = shapes.logEvidence();
    for (int p = 0; p < processes.length; p++) {
      processes[p] = new ProcessPosterior(kernels[p], index, level, noise);
      best = Math.max(best, processes[p].logEvidence());
    }
    shareOfShapes = weigh(best);
  }

  /** Bayes' rule over the priors; returns the share of the shapes. */
  private double weigh(double best) {
    double ofShapes = PRIOR_OF_SHAPES * StrictMath.exp(shapes.logEvidence() - best);
    double sum = ofShapes;
    for (int p = 0; p < shares.length; p++) {
      double prior = (1 - PRIOR_OF_SHAPES) / shares.length;
      shares[p] = prior * StrictMath.exp(processes[p].logEvidence() - best);
      sum += shares[p];
    }
    int roughest = shares.length - 1;
    if (roughest >= 0) {
      shares[roughest] = Math.max(shares[roughest], ALWAYS * sum);
    }
    double kept = ofShapes < NEGLIGIBLE * sum ? 0 : ofShapes;
    double total = kept;
    for (int p = 0; p < shares.length; p++) {
      shares[p] = shares[p] < NEGLIGIBLE * sum ? 0 : shares[p];
      total += shares[p];
    }
    for (int p = 0; p < shares.length; p++) {
      shares[p] /= total;
    }
    return kept / total;
  }

  private Level expected(int place) {
    double mean = shareOfShapes * shapes.mean(place);
    for (int p = 0; p < processes.length; p++) {
      mean += shares[p] * processes[p].mean(place);
    }
    double off = shapes.mean(place) - mean;
    double variance = shareOfShapes * (shapes.variance(place) + off * off);
    for (int p = 0; p < processes.length; p++) {
      off = processes[p].mean(place) - mean;
      variance += shares[p] * (processes[p].variance(place) + off * off);
    }
    return new Level(mean, variance);
  }

  /** Whether there is any evidence. */
  boolean informed() {
    return index.length > 0;
  }

  /** The part of the belief that follows the shapes. */
  ShapePosterior shapes() {
    return shapes;
  }

  /** Probability that the curve is one of the shapes. */
  double shareOfShapes() {
    return shareOfShapes;
  }

  /** Number of Gaussian processes in the mixture. */
  int processes() {
    return processes.length;
  }

  ProcessPosterior process(int number) {
    return processes[number];
  }

  /** Probability that the curve is of that process; 0 if it is negligible. */
  double share(int process) {
    return shares[process];
  }

  /** A curve drawn from a process, given the evidence: logarithms at places of the grid. */
  double[] draw(int process, int number, int[] places) {
    return processes[process].draw(number, level, noise, places);
  }

  /**
   * Logarithm of the reward at a place of the grid.
   *
   * @param mean expected value
   * @param variance of the belief, without the noise of a window
   */
  record Level(double mean, double variance) {}

  /**
   * Probability density of a level that is seen at a place of the grid.
   *
   * @param noise variance of the level that was seen
   */
  double density(int place, double seen, double noise) {
    double sum = shareOfShapes * normal(seen - shapes.mean(place), shapes.variance(place) + noise);
    for (int p = 0; p < processes.length; p++) {
      double variance = processes[p].variance(place) + noise;
      sum += shares[p] * normal(seen - processes[p].mean(place), variance);
    }
    return sum;
  }

  private static double normal(double off, double variance) {
    return StrictMath.exp(-off * off / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
  }

  /** The belief about a place of the grid. */
  Level level(int place) {
    Level known = levels[place];
    if (known == null) {
      known = expected(place);
      levels[place] = known;
    }
    return known;
  }
}
