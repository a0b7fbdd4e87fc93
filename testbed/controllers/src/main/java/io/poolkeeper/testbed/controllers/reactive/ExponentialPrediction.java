package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.Require;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * As many workers as an exponential average predicts to be needed (Kang, Han, Yoo and Park 2008, as
 * Bahadur and others 2014, section 2.7 describe it).
 *
 * <p><b>Rule.</b> With each window {@code p' = a * observed + (1 - a) * p}; the next multiple of
 * one worker above {@code p'} is kept ready for the window that follows.
 *
 * <p><b>Left open, and how it is filled.</b> Observed is what was there to be done at once: the
 * mean number of busy workers and waiting tasks of the window. Busy workers alone are never more
 * than there are, and would let no pool grow. The first window is its own prediction. {@code a} is
 * not given; 0.5 weighs the last window as much as all others. The paper calls the interval regular
 * and no more.
 *
 * <p><b>When it fails.</b> An average lags behind whatever rises or falls, by about {@code 1 / a}
 * windows, and a load that changes in every window is predicted wrong in every window; the survey
 * says so too. Half of the time more than the mean is needed. Users who wait for answers fill any
 * pool: the prediction becomes their number, however much slower more workers make the work.
 */
public final class ExponentialPrediction implements Controller {

  private final double weight;
  private double prediction = Double.NaN;

  /**
   * @param weight weight {@code a} of the last window, above 0 and at most 1
   * @throws IllegalArgumentException if it is not
   */
  public ExponentialPrediction(double weight) {
    this.weight = Require.within(0, 1, "weight", weight);
  }

  @Override
  public String name() {
    return "exponential-prediction";
  }

  @Override
  public Decision decide(Window window) {
    double observed = window.busy() + window.queueMean();
    if (!(observed >= 0 && observed <= Integer.MAX_VALUE)) {
      return Decision.keep(window, "no prediction from a window without busy workers and queue");
    }
    double before = Double.isNaN(prediction) ? observed : prediction;
    prediction = weight * observed + (1 - weight) * before;
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("observed", observed);
    numbers.put("previous", before);
    numbers.put("predicted", prediction);
    return Decision.towards(
            (int) Math.max(1, Math.ceil(prediction)),
            String.format(
                Locale.ROOT,
                "%.1f tasks were there at once, %.1f are predicted",
                observed,
                prediction))
        .because(numbers);
  }
}
