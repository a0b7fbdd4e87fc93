package io.poolkeeper.controllers;

import java.util.List;

/**
 * A few windows at another size than the best one, for what they teach (Howard, Information value
 * theory, IEEE Transactions on Systems Science and Cybernetics 2, 1966).
 *
 * @param index place in the grid, -1 for no experiment
 * @param gain promised, in windows' worth of reward, the cost taken off
 */
record Experiment(int index, double gain) {

  static final Experiment NONE = new Experiment(-1, 0);

  /** Windows that an experiment is taken to last: few tell large differences, many small ones. */
  private static final int[] DWELL = {2, 4, 16};

  /** Time for which something learned about the knee of a shape is of use: work changes. */
  private static final double HORIZON_OF_SHAPES = 60;

  /** Bounds, in seconds, of the time for which a better size that was found is of use. */
  private static final double SHORTEST_HORIZON = 60;

  private static final double LONGEST_HORIZON = 180;

  private static final double PRICE = 1.0;

  /** A larger size must bring so much more reward a doubling to be called better. */
  private static final double WORTH_A_DOUBLING = 0.02;

  /** Outcomes of an experiment that are told apart, each two standard deviations wide. */
  private static final int OUTCOMES = 9;

  private static final int MIDDLE = OUTCOMES / 2;

  /**
   * The conditions of an experiment.
   *
   * @param here place in the grid of the size in force
   * @param from the smallest place in the grid to consider
   * @param to the largest place
   * @param variance of the logarithm of the reward of a window like the last
   * @param unsteady variance of the logarithm of the level of all sizes, which drifts
   * @param seconds length of a window
   * @param age seconds for which the work has been the same: it will probably last as long again
   * @param worthwhile the least that it must promise, in windows' worth of reward
   */
  record Conditions(
      int here,
      int from,
      int to,
      double variance,
      double unsteady,
      double seconds,
      double age,
      double worthwhile) {}

  /**
   * The most promising experiment, of any length: the gain if the best size is chosen after its
   * outcome, over all outcomes, less the cost of standing there. It need not last as long as
   * planned, since every window that it brings is followed by a new choice.
   */
  static Experiment best(SizeChoice choice, Conditions conditions) {
    double age = Math.max(SHORTEST_HORIZON, Math.min(LONGEST_HORIZON, conditions.age));
    double windows = age / conditions.seconds;
    // Outcomes overlap, so half of what separate ones would teach.
    double windowsOfShapes = 0.5 * HORIZON_OF_SHAPES / conditions.seconds;
    double mostOfShapes = ofShapes(choice);
    Experiment found = NONE;
    int[] tops = tops(choice);
    for (int i = 0; i < choice.places().length; i++) {
      int index = choice.places()[i];
      if (index < conditions.from || index > conditions.to || index == choice.best()) {
        continue;
      }
      double price = choice.loss(i) - choice.leastLoss();
      // No window says anything before tasks have ended, and they have to end again on the way
      // back.
      double service = SizeGrid.size(index) / StrictMath.exp(choice.belief().level(index).mean());
      double slowness = service / conditions.seconds;
      double drain = 0.5 * drain(choice.belief(), conditions.here, index) / conditions.seconds;
      for (int dwell : DWELL) {
        double noise = CurvePosterior.CORRELATION * conditions.variance / dwell;
        double gain = -PRICE * price * (Math.max(dwell, 1.5 * slowness) + drain);
        double least =
            Math.max(conditions.worthwhile * (1 + Math.max(0, slowness - 1) / 2), found.gain);
        gain += windows * gainOfProcesses(choice.belief(), index, noise, tops);
        // Where not even certainty would be worth it, nothing has to be worked out.
        if (dwell > 2 && gain + windowsOfShapes * mostOfShapes > least) {
          double surprise = choice.belief().shapes().surprise(index, noise);
          double width = 2 * Math.sqrt(surprise + conditions.unsteady);
          gain += windowsOfShapes * gainOfShapes(choice, index, width);
        }
        if (gain > least) {
          found = new Experiment(index, gain);
        }
      }
    }
    return found;
  }

  /**
   * Returns the seconds until no more workers are busy than at a place of the grid, coming from
   * another one: those that are busy finish what they do.
   */
  static double drain(CurvePosterior belief, int from, int to) {
    if (to >= from) {
      return 0;
    }
    double service = SizeGrid.size(from) / StrictMath.exp(belief.level(from).mean());
    return service * StrictMath.log((double) SizeGrid.size(from) / SizeGrid.size(to));
  }

  /** Loss that certainty about the shape would spare, at most. */
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
   * Smaller expected loss after an outcome, which is so wide, if the curve is one of the shapes.
   */
  private static double gainOfShapes(SizeChoice choice, int index, double width) {
    ShapePosterior shapes = choice.belief().shapes();
    List<double[]> lossOfShapes = choice.lossOfShapes();
    double centre = shapes.mean(index);
    double[][] losses = new double[OUTCOMES][choice.places().length];
    double[] all = new double[choice.places().length];
    for (int h = 0; h < lossOfShapes.size(); h++) {
      double off = (shapes.level(h, index) - centre) / width;
      int outcome = MIDDLE + (int) Math.rint(Math.max(-MIDDLE, Math.min(MIDDLE, off)));
      double[] lost = lossOfShapes.get(h);
      for (int i = 0; i < all.length; i++) {
        losses[outcome][i] += lost[i];
        all[i] += lost[i];
      }
    }
    double gain = all[SizeChoice.smallest(all)];
    for (double[] sum : losses) {
      gain -= sum[SizeChoice.smallest(sum)];
    }
    return gain;
  }

  /** The best place of each process; -1 where it is out of the question. */
  private static int[] tops(SizeChoice choice) {
    int[] tops = new int[choice.belief().processes()];
    for (int p = 0; p < tops.length; p++) {
      Curves process = choice.belief().process(p);
      int top = choice.places()[0];
      for (int place : choice.places()) {
        if (process.mean(place) > process.mean(top)) {
          top = place;
        }
      }
      tops[p] = choice.belief().share(p) > 0 ? top : -1;
    }
    return tops;
  }

  /**
   * Fraction of the reward that is won on average if the size turns out to be better than the best
   * one so far: expected improvement of a normal difference of which a part is learned.
   */
  private static double gainOfProcesses(
      CurvePosterior belief, int index, double noise, int[] tops) {
    double gain = 0;
    for (int p = 0; p < tops.length; p++) {
      int top = tops[p];
      if (top >= 0 && top != index) {
        Curves process = belief.process(p);
        double doublings = Math.max(0, SizeGrid.doublings(index) - SizeGrid.doublings(top));
        double lead = process.mean(index) - process.mean(top) - WORTH_A_DOUBLING * doublings;
        double spread =
            Math.abs(process.variance(index) - process.covariance(index, top))
                / Math.sqrt(process.variance(index) + noise);
        gain += belief.share(p) * improvement(lead, spread);
      }
    }
    return gain;
  }

  /** Mean of the positive part of a normal variable. */
  private static double improvement(double mean, double deviation) {
    if (deviation < 1e-9 || mean < -6 * deviation) {
      return 0;
    }
    double z = mean / deviation;
    double density = StrictMath.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
    return deviation * density + mean * below(z, density);
  }

  /** Normal distribution function (Abramowitz and Stegun 1964, 26.2.17; error below 1e-7). */
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
