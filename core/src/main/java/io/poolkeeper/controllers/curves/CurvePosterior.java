package io.poolkeeper.controllers.curves;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Posterior of the response curve, given the evidence: a mixture of the {@link CurveShapes}, which
 * most pools follow, of Gaussian processes from smooth to rough, and of curves with a {@link
 * Break}. Bayes' rule weighs each prior by its marginal likelihood. So curves that fit no shape
 * make the posterior rough, and the uncertainty about sizes without evidence grows.
 */
public final class CurvePosterior {

  /** Variance of a level of which nothing is known. */
  private static final double UNKNOWN = 100;

  private static final List<ProcessKernel> KERNELS = List.of(ProcessKernel.values());

  /** Prior of each process without a break. */
  private static final double PRIOR_OF_PROCESS =
      (1 - Tuning.SHAPES_PRIOR - Tuning.BREAK_PRIOR) / KERNELS.size();

  private static final int ROUGH = KERNELS.indexOf(ProcessKernel.ROUGH);
  private static final int ROUGHEST = KERNELS.indexOf(ProcessKernel.BROKEN);

  private final ShapePosterior shapes;
  private final List<CurveDistribution> processes = new ArrayList<>();
  private final double shareOfShapes;
  private final double[] shares;
  private final @Nullable Level[] levels = new Level[SizeGrid.COUNT];

  /**
   * Works out the posterior.
   *
   * @param index places of the grid with evidence, in their order
   * @param level logarithm of the reward at each
   * @param noise variance of each level
   */
  public CurvePosterior(int[] index, double[] level, double[] noise) {
    shapes = new ShapePosterior(index, level, noise, UNKNOWN);
    List<Double> logWeights = new ArrayList<>();
    if (index.length > 0) {
      for (ProcessKernel kernel : KERNELS) {
        ProcessPosterior process = new ProcessPosterior(kernel, index, level, noise);
        processes.add(process);
        logWeights.add(process.logEvidence() + StrictMath.log(PRIOR_OF_PROCESS));
      }
      for (Break broken : Break.mostProbable(index, level, noise)) {
        List<CurveDistribution> curves = broken.curves();
        double prior = Tuning.BREAK_PRIOR / curves.size();
        processes.addAll(curves);
        logWeights.addAll(
            Collections.nCopies(curves.size(), broken.logEvidence() + StrictMath.log(prior)));
      }
    }
    shares = new double[processes.size()];
    shareOfShapes = weigh(shapes.logEvidence() + StrictMath.log(Tuning.SHAPES_PRIOR), logWeights);
  }

  /** Applies Bayes' rule to the priors; returns the share of the shapes. */
  private double weigh(double logOfShapes, List<Double> logWeights) {
    double most = logOfShapes;
    for (double logWeight : logWeights) {
      most = Math.max(most, logWeight);
    }
    double ofShapes = StrictMath.exp(logOfShapes - most);
    double sum = ofShapes;
    for (int p = 0; p < shares.length; p++) {
      shares[p] = StrictMath.exp(logWeights.get(p) - most);
      sum += shares[p];
    }
    if (shares.length > 0) {
      shares[ROUGHEST] = Math.max(shares[ROUGHEST], Tuning.ROUGHEST_SHARE * sum);
    }
    double kept = ofShapes < Tuning.NEGLIGIBLE_SHARE * sum ? 0 : ofShapes;
    double total = kept;
    for (int p = 0; p < shares.length; p++) {
      shares[p] = shares[p] < Tuning.NEGLIGIBLE_SHARE * sum ? 0 : shares[p];
      total += shares[p];
    }
    for (int p = 0; p < shares.length; p++) {
      shares[p] /= total;
    }
    return kept / total;
  }

  /** Returns the posterior of the level at a place of the grid for a rough curve. */
  public Level roughLevel(int place) {
    CurveDistribution rough = processes.get(ROUGH);
    return new Level(rough.mean(place), rough.variance(place));
  }

  private Level expected(int place) {
    Level ofShapes = shapes.level(place);
    double mean = shareOfShapes * ofShapes.mean();
    for (int p = 0; p < processes.size(); p++) {
      mean += shares[p] * processes.get(p).mean(place);
    }
    double off = ofShapes.mean() - mean;
    double variance = shareOfShapes * (ofShapes.variance() + off * off);
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
   * @param concurrency number of busy workers at which it was measured, near that place
   */
  public double levelAt(double seen, double concurrency, int place) {
    double away = StrictMath.log(SizeGrid.size(place) / concurrency);
    if (concurrency < 1) {
      return seen + away; // In proportion: a single worker meets no contention.
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

  /** Returns whether there is any evidence. */
  public boolean informed() {
    return shares.length > 0;
  }

  /** Returns the part of the posterior that follows the shapes. */
  ShapePosterior shapes() {
    return shapes;
  }

  /** Returns the probability that the curve is one of the shapes. */
  public double shareOfShapes() {
    return shareOfShapes;
  }

  /** Returns the number of Gaussian processes in the mixture. */
  int processes() {
    return processes.size();
  }

  CurveDistribution process(int number) {
    return processes.get(number);
  }

  /** Returns the probability that the curve is of a process; 0 if it is negligible. */
  double share(int process) {
    return shares[process];
  }

  /**
   * Logarithm of the reward at a place of the grid.
   *
   * @param mean expected value
   * @param variance of the posterior, without the noise of a window
   */
  public record Level(double mean, double variance) {}

  /**
   * Returns the probability density of a level at a place of the grid.
   *
   * @param noise variance of the measured level
   */
  public double density(int place, double seen, double noise) {
    Level ofShapes = shapes.level(place);
    double sum = shareOfShapes * normal(seen - ofShapes.mean(), ofShapes.variance() + noise);
    for (int p = 0; p < processes.size(); p++) {
      double variance = processes.get(p).variance(place) + noise;
      sum += shares[p] * normal(seen - processes.get(p).mean(place), variance);
    }
    return sum;
  }

  private static double normal(double off, double variance) {
    return StrictMath.exp(-off * off / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
  }

  /** Returns the posterior of the level at a place of the grid. */
  public Level level(int place) {
    Level level = levels[place];
    if (level == null) {
      level = expected(place);
      levels[place] = level;
    }
    return level;
  }

  /**
   * Returns the seconds in which the number of busy workers falls from one place of the grid to
   * another: those that are busy finish their tasks.
   */
  public double drainSeconds(int start, int end) {
    if (end >= start) {
      return 0;
    }
    double service = SizeGrid.size(start) / StrictMath.exp(level(start).mean());
    return service * StrictMath.log((double) SizeGrid.size(start) / SizeGrid.size(end));
  }
}
