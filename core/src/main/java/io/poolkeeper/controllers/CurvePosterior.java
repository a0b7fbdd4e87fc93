package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.Collections;
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

  private static final List<ProcessKernel> KERNELS = List.of(ProcessKernel.values());

  /** Share of the shapes before anything is known; the processes share the rest. */
  private static final double PRIOR_OF_SHAPES = 0.6;

  /** Share of curves with a break. */
  private static final double PRIOR_OF_BREAK = 0.1;

  /** Share of each process without one. */
  private static final double PRIOR_OF_PROCESS =
      (1 - PRIOR_OF_SHAPES - PRIOR_OF_BREAK) / KERNELS.size();

  private static final int ROUGHEST = KERNELS.indexOf(ProcessKernel.BROKEN);

  /** Share of the roughest process at least: no evidence elsewhere rules out a step at a size. */
  private static final double ALWAYS = 0.01;

  /** Priors with a smaller share are left out. */
  private static final double NEGLIGIBLE = 1e-3;

  private final ShapePosterior shapes;
  private final List<Curves> processes = new ArrayList<>();
  private final double shareOfShapes;
  private final double[] shares;
  private final @Nullable Level[] levels = new Level[SizeGrid.COUNT];

  CurvePosterior(Knowledge knowledge) {
    List<Evidence> evidence = knowledge.evidence();
    int count = evidence.size();
    int[] index = new int[count];
    double[] level = new double[count];
    double[] noise = new double[count];
    for (int j = 0; j < count; j++) {
      Evidence seen = evidence.get(j);
      index[j] = seen.index();
      level[j] = seen.level();
      noise[j] = CORRELATION * Noise.USUAL / seen.weight();
    }
    shapes = new ShapePosterior(index, level, noise, UNKNOWN);
    List<Double> logWeights = new ArrayList<>();
    if (count > 0) {
      for (ProcessKernel kernel : KERNELS) {
        ProcessPosterior process = new ProcessPosterior(kernel, index, level, noise);
        processes.add(process);
        logWeights.add(process.logEvidence() + StrictMath.log(PRIOR_OF_PROCESS));
      }
      for (Break broken : Break.mostProbable(index, level, noise)) {
        List<Curves> curves = broken.curves();
        double prior = PRIOR_OF_BREAK / curves.size();
        processes.addAll(curves);
        logWeights.addAll(
            Collections.nCopies(curves.size(), broken.logEvidence() + StrictMath.log(prior)));
      }
    }
    shares = new double[processes.size()];
    shareOfShapes = weigh(shapes.logEvidence() + StrictMath.log(PRIOR_OF_SHAPES), logWeights);
  }

  /** Bayes' rule over the priors; returns the share of the shapes. */
  private double weigh(double logOfShapes, List<Double> logWeights) {
    double most = logOfShapes;
    for (double one : logWeights) {
      most = Math.max(most, one);
    }
    double ofShapes = StrictMath.exp(logOfShapes - most);
    double sum = ofShapes;
    for (int p = 0; p < shares.length; p++) {
      shares[p] = StrictMath.exp(logWeights.get(p) - most);
      sum += shares[p];
    }
    if (shares.length > 0) {
      shares[ROUGHEST] = Math.max(shares[ROUGHEST], ALWAYS * sum);
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
    for (int p = 0; p < processes.size(); p++) {
      mean += shares[p] * processes.get(p).mean(place);
    }
    double off = shapes.mean(place) - mean;
    double variance = shareOfShapes * (shapes.variance(place) + off * off);
    for (int p = 0; p < processes.size(); p++) {
      off = processes.get(p).mean(place) - mean;
      variance += shares[p] * (processes.get(p).variance(place) + off * off);
    }
    return new Level(mean, variance);
  }

  /**
   * Moves a level along the expected curve to a place of the grid.
   *
   * @param seen logarithm of the reward
   * @param concurrency at which it was seen, near that place
   */
  double moved(double seen, double concurrency, int place) {
    double away = StrictMath.log(SizeGrid.size(place) / concurrency);
    if (concurrency < 1) {
      return seen + away; // In proportion: nobody is in the way.
    }
    int other = away < 0 ? place + 1 : place - 1;
    if (Math.abs(away) < 1e-9 || other < 0 || other >= SizeGrid.COUNT) {
      return seen;
    }
    double slope =
        (level(other).mean() - level(place).mean())
            / StrictMath.log((double) SizeGrid.size(other) / SizeGrid.size(place));
    return seen + slope * away;
  }

  /** Whether there is any evidence. */
  boolean informed() {
    return shares.length > 0;
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
    return processes.size();
  }

  Curves process(int number) {
    return processes.get(number);
  }

  /** Probability that the curve is of that process; 0 if it is negligible. */
  double share(int process) {
    return shares[process];
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
    for (int p = 0; p < processes.size(); p++) {
      double variance = processes.get(p).variance(place) + noise;
      sum += shares[p] * normal(seen - processes.get(p).mean(place), variance);
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
