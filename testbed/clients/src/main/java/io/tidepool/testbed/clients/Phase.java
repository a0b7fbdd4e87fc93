package io.tidepool.testbed.clients;

import java.util.List;

/**
 * A stretch of time with one level of load.
 *
 * @param seconds its length, positive; may be infinite
 * @param level number of closed users, or arrivals a second; 0 or more
 */
public record Phase(double seconds, double level) {

  public Phase {
    if (!(seconds > 0)) {
      throw new IllegalArgumentException("seconds of a phase must be > 0, but is " + seconds);
    }
    Require.notNegative("level of a phase", level);
  }

  /** One level for ever. */
  public static List<Phase> always(double level) {
    return List.of(new Phase(Double.POSITIVE_INFINITY, level));
  }

  static List<Phase> required(List<Phase> phases) {
    if (phases.isEmpty()) {
      throw new IllegalArgumentException("phases must not be empty");
    }
    return List.copyOf(phases);
  }
}
