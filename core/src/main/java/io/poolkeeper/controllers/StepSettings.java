package io.poolkeeper.controllers;

import io.poolkeeper.Objective;

/**
 * Settings of a {@link StepController}.
 *
 * @param step workers added or taken away at once, 1 or more; published: 10
 * @param threshold gain, as a fraction of the window before, that a step must bring to be kept,
 *     above 0 and below 1; published: 0.10 for throughput, 0.05 for response times
 * @param lock windows for which a direction is not tried again after it failed, 0 or more;
 *     published: 6
 */
public record StepSettings(int step, double threshold, int lock) {

  /** Published settings of the throughput controller. */
  public static final StepSettings THROUGHPUT = new StepSettings(10, 0.10, 6);

  /** Published settings of the response time controllers. */
  public static final StepSettings RESPONSE_TIME = new StepSettings(10, 0.05, 6);

  /** Returns the published settings for an objective. */
  public static StepSettings of(Objective objective) {
    return objective.higherIsBetter() ? THROUGHPUT : RESPONSE_TIME;
  }

  /**
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  public StepSettings {
    if (step < 1) {
      throw new IllegalArgumentException("step must be >= 1, but is " + step);
    }
    if (!(threshold > 0 && threshold < 1)) {
      throw new IllegalArgumentException(
          "threshold must be a fraction between 0 and 1, such as 0.05, but is " + threshold);
    }
    if (lock < 0) {
      throw new IllegalArgumentException("lock must be >= 0, but is " + lock);
    }
  }
}
