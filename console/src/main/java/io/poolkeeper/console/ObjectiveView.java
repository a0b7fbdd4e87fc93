package io.poolkeeper.console;

import io.poolkeeper.Objective;

/**
 * Objective of a controller, for the page.
 *
 * @param label name, as in a sentence
 * @param unit of the values that the page shows
 * @param scale factor from a value of the objective to that unit
 * @param better higher or lower
 */
record ObjectiveView(String label, String unit, double scale, String better) {

  private static final double NANOS_TO_MILLIS = 1e-6;
  private static final double BYTES_TO_MEGABYTES = 1e-6;

  static ObjectiveView of(Objective objective) {
    if (!objective.higherIsBetter()) {
      return new ObjectiveView(objective.toString(), "ms", NANOS_TO_MILLIS, "lower");
    }
    return objective.equals(Objective.diskThroughput())
        ? new ObjectiveView(objective.toString(), "MB/s", BYTES_TO_MEGABYTES, "higher")
        : new ObjectiveView(objective.toString(), "tasks/s", 1, "higher");
  }
}
