package io.tidepool.testbed.simulate.model;

import io.tidepool.Controller;
import io.tidepool.Controllers;
import io.tidepool.Objective;
import java.util.Map;

/**
 * What sizes a pool: a controller by name. Each run makes one of its own.
 *
 * @param controller its name, one that {@link Controllers#named} knows
 * @param settings of the controller, only those that were given
 * @param window seconds between two decisions
 */
public record Governor(String controller, Map<String, String> settings, double window) {

  public Governor {
    settings = Map.copyOf(settings);
  }

  /** What it optimises: as its name or its setting {@code objective} says, else throughput. */
  public Objective objective() {
    for (String name : new String[] {settings.getOrDefault("objective", controller), controller}) {
      try {
        return Objective.named(name);
      } catch (IllegalArgumentException e) {
        // Not every controller is called by its objective.
      }
    }
    return Objective.throughput();
  }

  /** A controller that has seen nothing yet. */
  public Controller make() {
    return Controllers.named(controller, settings);
  }
}
