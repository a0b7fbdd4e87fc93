package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;

/**
 * The gathered windows compared with the expectation.
 *
 * @param window the gathered windows
 * @param posterior the expectation
 * @param index place in the grid of the size at which the reward was observed
 * @param level logarithm of the reward
 * @param countNoise variance because of the number of completions
 * @param variance variance because of all noise
 * @param blur standard deviation because the concurrency was not constant
 * @param surprise level minus the expected level
 * @param uncertainty variance of the expectation
 * @param familiar whether the size was in force before
 * @param deviation the surprise in standard deviations, as evidence of other work; 0 without any
 *     evidence to expect from
 */
record Comparison(
    Observation window,
    CurvePosterior posterior,
    int index,
    double level,
    double countNoise,
    double variance,
    double blur,
    double surprise,
    double uncertainty,
    boolean familiar,
    double deviation) {

  /** Density of a level after a change of the work: anything within a factor of about 3. */
  private static final double OTHER_WORK = Tuning.CHANGE_RATE / 3;

  /** Compares gathered windows with the posterior before. */
  static Comparison of(Observation window, Draft draft) {
    CurvePosterior posterior = draft.posteriorBefore();
    double concurrency = window.concurrency();
    int index = place(window);
    double level = posterior.levelAt(StrictMath.log(window.rate()), concurrency, index);
    CurvePosterior.Level expected = posterior.level(index);
    double countNoise = Noise.ofCount(window.completions());
    double variance = draft.noise.single() + countNoise;
    double shift = draft.before.standing().shift();
    double surprise = level - expected.mean() - shift;
    double blur = window.blur(draft.before.limits().size());
    double uncertainty =
        expected.variance() + draft.drift.variance() + blur * blur + Tuning.MISFIT * Tuning.MISFIT;
    boolean familiar = draft.knowledge.isFamiliar(index) || draft.guard.surprising();
    double deviation = surprise / Math.sqrt(variance + uncertainty);
    if (!posterior.informed()) {
      deviation = 0;
    } else if (!familiar) {
      // A surprise at a new size is the size's own, unless other work is the likelier cause.
      boolean own = posterior.density(index, level - shift, variance) > OTHER_WORK;
      deviation = own ? 0 : atLeastFar(deviation);
    }
    return new Comparison(
        window,
        posterior,
        index,
        level,
        countNoise,
        variance,
        blur,
        surprise,
        uncertainty,
        familiar,
        deviation);
  }

  /** Returns the place in the grid at which a window shows the reward. */
  static int place(Observation window) {
    return window.atCapacity() || window.utilisation() > Tuning.FULL
        ? SizeGrid.nearest(window.concurrency())
        : SizeGrid.nearestCoarse(window.concurrency());
  }

  private static double atLeastFar(double deviation) {
    return Math.abs(deviation) < Tuning.OTHER_WORK_DEVIATION
        ? Math.copySign(Tuning.OTHER_WORK_DEVIATION, deviation)
        : deviation;
  }

  /** Returns whether there was any evidence to expect from. */
  boolean informed() {
    return posterior.informed();
  }

  /** Returns the expected level at the place. */
  CurvePosterior.Level expected() {
    return posterior.level(index);
  }
}
