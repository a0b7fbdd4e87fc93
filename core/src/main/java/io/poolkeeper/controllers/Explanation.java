package io.poolkeeper.controllers;

import io.poolkeeper.Objective;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Says what is believed, in words and numbers, in the unit of the objective. A response time is
 * that of the tasks present, by Little's law.
 */
final class Explanation {

  /** Points of the curve that are told, in places of the grid from the chosen one. */
  private static final int[] POINTS = {-10, -6, -3, -1, 0, 1, 3, 6, 10};

  private final Objective objective;
  private final double present;
  private final CurvePosterior belief;
  private final int[] places;

  /**
   * @param present tasks that run or wait
   * @param places of the grid that come into question, in their order
   */
  Explanation(Objective objective, double present, CurvePosterior belief, int[] places) {
    this.objective = objective;
    this.present = Math.max(1, present);
    this.belief = belief;
    this.places = places;
  }

  private double value(double level) {
    double rate = StrictMath.exp(level);
    return objective.higherIsBetter() ? rate : present / rate * 1e9;
  }

  /** A level as a value of the objective with its unit. */
  String at(double level) {
    return objective.format(value(level));
  }

  /** What is expected at a place of the grid, with its standard deviation. */
  String expected(int index) {
    CurvePosterior.Level level = belief.level(index);
    double value = value(level.mean());
    return "%s ± %s"
        .formatted(objective.format(value), objective.format(value * Math.sqrt(level.variance())));
  }

  /** The place of the grid, up to {@code last}, where most is expected. */
  private int peak(int last) {
    int peak = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int place : places) {
      double mean = belief.level(place).mean();
      if (mean > most && place <= last) {
        most = mean;
        peak = place;
      }
    }
    return peak;
  }

  /**
   * The level that a size must be expected to reach: within the tolerance of the best up to {@code
   * last}, or {@code enough} per second where that is less.
   */
  double acceptable(int last, double tolerance, double enough) {
    return Math.min(
        belief.level(peak(last)).mean() + StrictMath.log1p(-tolerance), StrictMath.log(enough));
  }

  /** Why to be at a place of the grid. */
  String why(
      int index,
      int from,
      int last,
      double tolerance,
      Experiment experiment,
      Reading seen,
      Demand demand) {
    if (experiment.index() >= 0) {
      return trying(experiment);
    }
    return seen.telling() ? standing(index, from, last, tolerance) : free(index, seen, demand);
  }

  /** Why to step aside. */
  private String trying(Experiment experiment) {
    return say(
        "trying %d, where %s is expected: to know is worth %.1f windows",
        SizeGrid.size(experiment.index()), expected(experiment.index()), experiment.gain());
  }

  /** Why to visit a size of which little is expected. */
  String visiting(int index) {
    return say(
        "visiting %d for once, far from all sizes seen so far, where %s is expected",
        SizeGrid.size(index), expected(index));
  }

  /** Why a size is enough where it does not bind. */
  private String free(int index, Reading seen, Demand demand) {
    return say(
        "%d suffice: %.1f of %d busy, %.1f waiting, %.0f/s arriving",
        SizeGrid.size(index), seen.busy(), seen.size(), seen.waiting(), demand.arrivals());
  }

  /** Why to stand at a size, coming from another or not. */
  private String standing(int index, int from, int last, double tolerance) {
    int peak = peak(last);
    return say(
        "%s %d: expected %s, within %.0f %% of the best, %s at %d%s",
        index == from ? "holding" : "to",
        SizeGrid.size(index),
        expected(index),
        tolerance * 100,
        expected(peak),
        SizeGrid.size(peak),
        notSmaller(index, peak, tolerance));
  }

  /** Why not a smaller size, if one is expected within the tolerance of the best; else empty. */
  private String notSmaller(int index, int peak, double tolerance) {
    double best = belief.level(peak).mean();
    for (int k = places.length - 1; k >= 0; k--) {
      int smaller = places[k];
      if (smaller >= index) {
        continue;
      }
      CurvePosterior.Level level = belief.level(smaller);
      double share = StrictMath.exp(level.mean() - best);
      if (share >= 1 - tolerance) {
        return say(
            "; %d, expected at %.1f %% ± %.1f %% of it, is not sure enough to be worth it",
            SizeGrid.size(smaller), share * 100, share * Math.sqrt(level.variance()) * 100);
      }
    }
    return "";
  }

  /**
   * The numbers behind a decision: points of the curve as {@code curve.SIZE.mean} and {@code
   * curve.SIZE.sd}, a value of the objective and its standard deviation; {@code chosen}, the size;
   * {@code noise}, the standard deviation of one window as a fraction; {@code acceptable}, the
   * value that a size must be expected to reach.
   *
   * @param acceptable its level; left out where nothing arrives, so that any size will do
   */
  Map<String, Double> numbers(int chosen, Noise noise, double acceptable) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("chosen", (double) SizeGrid.size(chosen));
    numbers.put("noise", Math.sqrt(noise.variance()));
    if (Double.isFinite(value(acceptable))) {
      numbers.put("acceptable", value(acceptable));
    }
    int middle = SizeGrid.coarseAtLeast(SizeGrid.size(chosen));
    for (int point : POINTS) {
      int k = middle + point;
      if (k >= 0 && k < SizeGrid.coarse().length) {
        int index = point == 0 ? chosen : SizeGrid.coarse()[k];
        CurvePosterior.Level level = belief.level(index);
        double value = value(level.mean());
        String key = "curve." + SizeGrid.size(index);
        numbers.put(key + ".mean", value);
        numbers.put(key + ".sd", value * Math.sqrt(level.variance()));
      }
    }
    return numbers;
  }

  /** A sentence with numbers in it, the same in every country. */
  static String say(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
