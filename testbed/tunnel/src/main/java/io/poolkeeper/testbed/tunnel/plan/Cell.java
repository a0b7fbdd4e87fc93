package io.poolkeeper.testbed.tunnel.plan;

import io.poolkeeper.testbed.tunnel.course.Load;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.plant.Plant;

/** Conditions that the controllers meet in a run, but for its seed. */
public record Cell(Plant plant, Load load, Noise noise) {

  /** The cell in words: {@code database, closed-100, 8%}. */
  @Override
  public String toString() {
    return plant.name() + ", " + load.name() + ", " + noise.word();
  }
}
