package io.poolkeeper.testbed.tunnel.course;

import io.poolkeeper.testbed.tunnel.plant.Plant;
import java.util.List;
import java.util.function.Function;

/**
 * Stages that a pool goes through in one run.
 *
 * @param name its name in configurations
 * @param title what it stands for, for a reader who sees it first
 * @param script its stages on a plant
 */
public record Load(String name, String title, Function<Plant, List<Stage>> script) {

  /** Its stages on a plant. */
  public List<Stage> on(Plant plant) {
    return List.copyOf(script.apply(plant));
  }
}
