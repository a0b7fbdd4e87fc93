package io.poolkeeper.controllers.curves;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A few windows at another size than the best, made for their information (Howard, Information
 * value theory, IEEE Transactions on Systems Science and Cybernetics 2, 1966).
 *
 * @param index place in the grid, -1 for no experiment
 * @param gain promised, in windows' worth of reward, the cost taken off
 */
public record Experiment(int index, double gain) {

  public static final Experiment NONE = new Experiment(-1, 0);

  /** Lengths of an experiment in windows: few show large differences, many show small ones. */
  private static final int[] LENGTHS = {
    Tuning.SHORT_EXPERIMENT, Tuning.USUAL_EXPERIMENT, Tuning.LONG_EXPERIMENT
  };

  /** Number of distinct outcomes of an experiment, each two standard deviations wide. */
  private static final int OUTCOMES = 9;

  private static final int MIDDLE = OUTCOMES / 2;

  /** Returns whether no experiment is worth it. */
  public boolean isNone() {
    return index < 0;
  }

  /**
   * The conditions of an experiment.
   *
   * @param here place in the grid of the size in force
   * @param first the smallest place in the grid to consider
   * @param last the largest place
   * @param variance of the logarithm of the reward of a window like the last
   * @param unsteady variance of the logarithm of the level of all sizes, which drifts
   * @param seconds length of a window
   * @param age seconds for which the work has been the same: it will probably last as long again
   * @param worthwhile the least that it must promise, in windows' worth of reward
   * @param growth sizes a second by which the pool grows
   */
  public record Conditions(
      int here,
      int first,
      int last,
      double variance,
      double unsteady,
      double seconds,
      double age,
      double worthwhile,
      double growth) {}

  /**
   * Returns the most promising experiment of any length. Its gain is the expected improvement of
   * the choice after its outcome, less the cost of standing there. It need not last as long as
   * planned, since a new choice follows each of its windows.
   */
  public static Experiment best(SizeChoice choice, Conditions conditions) {
    double age =
        Math.max(
            Tuning.LEAST_HORIZON_SECONDS, Math.min(Tuning.LONGEST_HORIZON_SECONDS, conditions.age));
    double windows = age / conditions.seconds;
    // Outcomes overlap, so half of what separate ones would teach.
    double windowsOfShapes = 0.5 * Tuning.SHAPE_HORIZON_SECONDS / conditions.seconds;
    double mostOfShapes = ofShapes(choice);
    Experiment found = NONE;
    int[] tops = tops(choice);
    for (int i = 0; i < choice.places().length; i++) {
      int index = choice.places()[i];
      if (index < conditions.first || index > conditions.last || index == choice.best()) {
        continue;
      }
      double price = choice.loss(i) - choice.leastLoss();
      // No window is informative before tasks have ended, and they must end again on the way back.
      double service =
          SizeGrid.size(index) / StrictMath.exp(choice.posterior().level(index).mean());
      double slowness = service / conditions.seconds;
      double drain =
          0.5 * choice.posterior().drainSeconds(conditions.here, index) / conditions.seconds;
      int distance = Math.abs(SizeGrid.size(conditions.here) - SizeGrid.size(index));
      double way = drain + 0.5 * distance / conditions.growth / conditions.seconds;
      for (int length : LENGTHS) {
        double noise = Tuning.CORRELATION * conditions.variance / length;
        double gain = -Tuning.EXPERIMENT_PRICE * price * (Math.max(length, 1.5 * slowness) + way);
        double least =
            Math.max(conditions.worthwhile * (1 + Math.max(0, slowness - 1) / 2), found.gain);
        gain += windows * gainOfProcesses(choice.posterior(), index, noise, tops);
        // Saves the work where not even certainty would be worth it.
        if (length > Tuning.SHORT_EXPERIMENT && gain + windowsOfShapes * mostOfShapes > least) {
          double surprise = choice.posterior().shapes().surprise(index, noise);
          double width = 2 * Math.sqrt(surprise + conditions.unsteady);
          gain += windowsOfShapes * gainOfShapes(choice, index, width, mostOfShapes);
        }
        if (gain > least) {
          found = new Experiment(index, gain);
        }
      }
    }
    return found;
  }

  /** Returns the loss that certainty about the shape would save, at most. */
  private static double ofShapes(SizeChoice choice) {
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < choice.places().length; i++) {
      double sum = 0;
      for (double[] lost : choice.lossOfShapes()) {
        sum += lost[i];
      }
      least = Math.min(least, sum);
    }
    return choice.lossOfShapes().isEmpty() ? 0 : least;
  }

  /**
   * Returns the reduction of the expected loss by an outcome of a given width, if the curve is one
   * of the shapes.
   *
   * @param before expected loss without an outcome
   */
  private static double gainOfShapes(SizeChoice choice, int index, double width, double before) {
    ShapePosterior shapes = choice.posterior().shapes();
    List<double[]> lossOfShapes = choice.lossOfShapes();
    double centre = shapes.level(index).mean();
    double[] @Nullable [] losses = new double[OUTCOMES][];
    for (int h = 0; h < lossOfShapes.size(); h++) {
      double off = (shapes.level(h, index) - centre) / width;
      int outcome = MIDDLE + (int) Math.rint(Math.max(-MIDDLE, Math.min(MIDDLE, off)));
      double[] lost = lossOfShapes.get(h);
      double[] sum = losses[outcome];
      if (sum == null) {
        losses[outcome] = lost.clone();
      } else {
        Cholesky.add(sum, 1, lost);
      }
    }
    double gain = before;
    for (double[] sum : losses) {
      gain -= sum == null ? 0 : sum[SizeChoice.smallest(sum)];
    }
    return gain;
  }

  /** Returns the best place of each process; -1 where the process is negligible. */
  private static int[] tops(SizeChoice choice) {
    int[] tops = new int[choice.posterior().processes()];
    for (int p = 0; p < tops.length; p++) {
      CurveDistribution process = choice.posterior().process(p);
      int top = choice.places()[0];
      for (int place : choice.places()) {
        if (process.mean(place) > process.mean(top)) {
          top = place;
        }
      }
      tops[p] = choice.posterior().share(p) > 0 ? top : -1;
    }
    return tops;
  }

  /**
   * Returns the mean gain if the size turns out to be better than the best so far, as a fraction of
   * the reward: the expected improvement of a normal difference of which a part is learned.
   */
  private static double gainOfProcesses(
      CurvePosterior posterior, int index, double noise, int[] tops) {
    double gain = 0;
    for (int p = 0; p < tops.length; p++) {
      int top = tops[p];
      if (top >= 0 && top != index) {
        CurveDistribution process = posterior.process(p);
        double doublings = Math.max(0, SizeGrid.doublings(index) - SizeGrid.doublings(top));
        double lead = process.mean(index) - process.mean(top) - Tuning.DOUBLING_WORTH * doublings;
        double spread =
            Math.abs(process.variance(index) - process.covariance(index, top))
                / Math.sqrt(process.variance(index) + noise);
        gain += posterior.share(p) * improvement(lead, spread);
      }
    }
    return gain;
  }

  /** Returns the mean of the positive part of a normal variable. */
  private static double improvement(double mean, double deviation) {
    if (deviation < 1e-9 || mean < -6 * deviation) {
      return 0;
    }
    double z = mean / deviation;
    double density = StrictMath.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
    return deviation * density + mean * below(z, density);
  }

  /**
   * Returns the normal distribution function (Abramowitz and Stegun 1964, 26.2.17; error below
   * 1e-7).
   */
  private static double below(double z, double density) {
    double t = 1 / (1 + 0.2316419 * Math.abs(z));
    double tail =
        density
            * t
            * (0.319381530
                + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    return z < 0 ? tail : 1 - tail;
  }
}
