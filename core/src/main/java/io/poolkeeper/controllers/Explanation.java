package io.poolkeeper.controllers;

import io.poolkeeper.Objective;
import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.Experiment;
import io.poolkeeper.controllers.curves.SizeGrid;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Reasons of decisions and the numbers behind them, in the unit of the objective. A response time
 * is that of the tasks in the system, by Little's law.
 */
final class Explanation {

  /** Points of the curve in the numbers, in places of the coarse grid from the chosen place. */
  private static final int[] POINTS = {-10, -6, -3, -1, 0, 1, 3, 6, 10};

  private final Draft draft;
  private final Objective objective;
  private final Observation window;
  private final double inSystem;
  private final CurvePosterior posterior;
  private final int[] places;

  /**
   * @param window the gathered windows
   * @param places candidates: places of the grid, in their order
   */
  Explanation(Draft draft, Observation window, CurvePosterior posterior, int[] places) {
    this.draft = draft;
    this.objective = draft.settings.objective();
    this.window = window;
    this.inSystem = Math.max(1, window.inSystem());
    this.posterior = posterior;
    this.places = places;
  }

  private double number(double level) {
    double rate = StrictMath.exp(level);
    return objective.higherIsBetter() ? rate : inSystem / rate * 1e9;
  }

  /** Returns a level as a value of the objective with its unit. */
  String value(double level) {
    return objective.format(number(level));
  }

  /** Returns the expected value at a place of the grid, with its standard deviation. */
  String expected(int index) {
    CurvePosterior.Level level = posterior.level(index);
    double value = number(level.mean());
    return "%s ± %s"
        .formatted(objective.format(value), objective.format(value * Math.sqrt(level.variance())));
  }

  private String expectation(int index) {
    int size = SizeGrid.size(index);
    return format(
        "%s %s expected to reach %s", workers(size), size == 1 ? "is" : "are", expected(index));
  }

  private static String workers(int size) {
    return size == 1 ? "1 worker" : size + " workers";
  }

  /** Returns the candidate up to {@code last} with the largest expectation. */
  private int peak(int last) {
    int peak = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int place : places) {
      double mean = posterior.level(place).mean();
      if (mean > most && place <= last) {
        most = mean;
        peak = place;
      }
    }
    return peak;
  }

  /** Returns the reason of an experiment. */
  String experiment(Experiment experiment) {
    return format(
        "experiment: %s, and the result is worth %.1f windows",
        expectation(experiment.index()), experiment.gain());
  }

  /**
   * Returns the reason of a return to the size of earlier work.
   *
   * @param here place of the size in force
   */
  String returning(int index, int here) {
    return format(
        "before the work changed, %s did better than the %s expected at %d; the former size is tried"
            + " again",
        workers(SizeGrid.size(index)), expected(here), SizeGrid.size(here));
  }

  /**
   * Returns the reason to try a safe size, or a larger one, after the reward has moved.
   *
   * @param here place of the size in force
   * @param before logarithm of the reward when the pool settled
   */
  String probe(int index, int here, double before) {
    return format(
        "%s are expected to do %s now, and did %s before; a look at %d tells whether the work has"
            + " changed",
        workers(SizeGrid.size(here)), expected(here), value(before), SizeGrid.size(index));
  }

  /** Returns the reason to look at a larger size for another window. */
  String lookGoesOn() {
    return format(
        "tasks that began before the look at %s may still count; it goes on",
        workers(window.size()));
  }

  /**
   * Returns the reason to go back after a look at a larger size.
   *
   * @param from size before it
   * @param level logarithm of the reward
   */
  String vagueLook(int from, double level) {
    return format(
        "the look at %s showed %s, little more than the %s of %d for so many workers; back to %d",
        workers(window.size()), value(level), value(draft.exploration.rest().level()), from, from);
  }

  /**
   * Returns the reason to take back a growth after which fewer tasks arrived.
   *
   * @param from size before it
   * @param before logarithm of the reward there
   */
  String vainGrowth(int from, double before) {
    return format(
        "%s did %s without a task waiting, and %d did %s: tasks come more slowly to the larger"
            + " pool, so it grows no further for %.0f s",
        workers(window.size()),
        value(StrictMath.log(window.rate())),
        from,
        value(before),
        draft.growth.pause());
  }

  /** Returns the reason to stay at a size that did more than is expected of another. */
  String outdoing(int other) {
    return format(
        "%s did %s, more than the %s expected of %d; another window is to confirm it",
        workers(window.size()),
        value(StrictMath.log(window.rate())),
        expected(other),
        SizeGrid.size(other));
  }

  /** Returns the reason of a second window at a size. */
  String warmUp() {
    return format(
        "%d tasks were rejected; the next window at %d tells the warm-up from the size",
        (long) window.rejected(), window.size());
  }

  /** Returns the reason of a visit. */
  String visit(int index) {
    return format("visit to a size of which little is known: %s", expectation(index));
  }

  /**
   * Returns the reason of another window of a visit.
   *
   * @param best place of the best size
   */
  String visitGoesOn(int best) {
    return format(
        "the visit goes on: %s may still do more than the %s expected of %d",
        workers(window.size()), expected(best), SizeGrid.size(best));
  }

  /**
   * Returns the reason of the best size.
   *
   * @param here place of the size in force
   * @param largest place of the largest candidate
   */
  String best(int index, int here, int largest) {
    return window.atCapacity() ? bestOfCurve(index, here, largest) : enough(index);
  }

  /**
   * Returns the reason of a size when a load begins.
   *
   * @param here place of the size in force
   */
  String filling(int index, int here) {
    String room = format("the processors idle, and there is room for %d", SizeGrid.size(index));
    String grown = draft.knowledge.evidence().isEmpty() ? room : expectation(index);
    return format(
        "%.0f tasks wait or run, of which most have just come; %s",
        window.inSystem(), index == here ? "the next window tells more" : grown);
  }

  /** Returns the reason of a size that does not bind. */
  private String enough(int index) {
    int size = draft.bounds.clamp(SizeGrid.size(index));
    boolean cut = size == draft.bounds.maximum() && window.busy() > size;
    return format(
        "%.1f of %d workers are busy, %.1f tasks wait and %.0f/s arrive; %s",
        window.busy(),
        window.size(),
        window.waiting(),
        draft.demand.arrivals(),
        format(cut ? "the bound is %d" : "a size of %d suffices", size));
  }

  private String bestOfCurve(int index, int here, int largest) {
    int peak = peak(largest);
    return format(
        "%s%s%s, within %.0f %% of the best, %s at %d%s%s",
        index > here ? shortage() : "",
        expectation(index),
        index == here ? "" : change(here, index),
        draft.settings.tolerance() * 100,
        expected(peak),
        SizeGrid.size(peak),
        notSmaller(index, peak),
        beyondBound(peak));
  }

  /** Returns what the upper bound is in the way of, if that is more than a guess. */
  private String beyondBound(int peak) {
    int bound = SizeGrid.nearest(draft.bounds.maximum());
    int last = draft.candidates().promising(window);
    int better = peak;
    for (int place : SizeGrid.coarse()) {
      if (place > bound && place <= last && mean(place) > mean(better)) {
        better = place;
      }
    }
    double gain = mean(better) - mean(peak);
    double doubt = Math.sqrt(posterior.level(better).variance());
    return gain > Math.max(doubt, draft.settings.tolerance())
        ? format("; the bound is %d, and %s", draft.bounds.maximum(), expectation(better))
        : "";
  }

  private double mean(int place) {
    return posterior.level(place).mean();
  }

  /** Returns the evidence for growth. */
  private String shortage() {
    return window.rejecting()
        ? format("%.0f tasks were rejected; ", window.rejected())
        : format("%.1f tasks waited; ", window.waiting());
  }

  /** Returns the expected change of the objective between two places. */
  private String change(int here, int index) {
    double ratio = number(posterior.level(index).mean()) / number(posterior.level(here).mean());
    return format(" (%+.1f %%)", 100 * (ratio - 1));
  }

  /** Returns the reason against a smaller size that is expected within the tolerance, if any. */
  private String notSmaller(int index, int peak) {
    double best = posterior.level(peak).mean();
    for (int k = places.length - 1; k >= 0; k--) {
      int smaller = places[k];
      if (smaller >= index) {
        continue;
      }
      CurvePosterior.Level level = posterior.level(smaller);
      double share = StrictMath.exp(level.mean() - best);
      if (share >= 1 - draft.settings.tolerance()) {
        return format(
            "; %s would reach %.1f %% ± %.1f %% of it, which is too uncertain",
            workers(SizeGrid.size(smaller)),
            share * 100,
            share * Math.sqrt(level.variance()) * 100);
      }
    }
    return "";
  }

  /**
   * Returns the level that a size must be expected to reach: within the tolerance of the best, or
   * the demand where that is less.
   */
  private double acceptable() {
    double best = posterior.level(peak(draft.candidates().largest(window))).mean();
    return Math.min(
        best + StrictMath.log1p(-draft.settings.tolerance()),
        StrictMath.log(draft.requiredRate(window)));
  }

  /**
   * Returns the numbers behind a decision: points of the curve as {@code curve.SIZE.mean} and
   * {@code curve.SIZE.sd}, a value of the objective and its standard deviation; {@code chosen}, the
   * size; {@code noise}, the standard deviation of a window as a fraction; {@code acceptable}, the
   * value that a size must be expected to reach. The last is left out where nothing arrives, so
   * that any size will do.
   */
  Map<String, Double> numbers(int chosen) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("chosen", (double) SizeGrid.size(chosen));
    numbers.put("noise", Math.sqrt(draft.noise.variance()));
    double acceptable = number(acceptable());
    if (Double.isFinite(acceptable)) {
      numbers.put("acceptable", acceptable);
    }
    int middle = SizeGrid.coarseAtLeast(SizeGrid.size(chosen));
    for (int point : POINTS) {
      int k = middle + point;
      if (k >= 0 && k < SizeGrid.coarse().length) {
        int index = point == 0 ? chosen : SizeGrid.coarse()[k];
        CurvePosterior.Level level = posterior.level(index);
        double value = number(level.mean());
        String key = "curve." + SizeGrid.size(index);
        numbers.put(key + ".mean", value);
        numbers.put(key + ".sd", value * Math.sqrt(level.variance()));
      }
    }
    return numbers;
  }

  /** Formats a sentence, the same in every country. */
  static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
