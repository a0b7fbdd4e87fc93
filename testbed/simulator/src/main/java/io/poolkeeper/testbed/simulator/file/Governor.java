package io.poolkeeper.testbed.simulator.file;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Policies;
import java.util.Map;

/**
 * Controller or policy that sizes a pool, by name. A controller is asked once a window, a policy is
 * told of every task. Each run makes one of its own.
 *
 * @param name one that {@link Controllers#named} or {@link Policies#named} knows
 * @param policy whether it is a policy
 * @param settings its own, only those that were given or that the model knows
 * @param window length of a window, seconds; a policy does not look at it
 */
public record Governor(String name, boolean policy, Map<String, String> settings, double window) {

  public Governor {
    settings = Map.copyOf(settings);
  }

  /**
   * Returns what it optimises: as its setting {@code objective} or its name says, else throughput.
   */
  public Objective objective() {
    for (String word : new String[] {settings.getOrDefault("objective", name), name}) {
      try {
        return Objective.named(word);
      } catch (IllegalArgumentException e) {
        // Not every controller is called by its objective.
      }
    }
    return Objective.throughput();
  }

  /** A controller that has seen nothing yet. */
  public Controller makeController() {
    return Controllers.named(name, settings);
  }

  /** A policy that has seen nothing yet. */
  public EventPolicy makePolicy() {
    return Policies.named(name, settings);
  }
}
