package io.poolkeeper.testbed.ntier.board;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.CoordinatedPools;
import io.poolkeeper.Objective;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.controllers.ntier.DcmController;
import io.poolkeeper.testbed.controllers.ntier.ScgController;
import io.poolkeeper.testbed.controllers.ntier.SctController;
import java.util.List;

/**
 * Controllers of the threads and the connections of a board.
 *
 * @param objective of the requests, which the threads serve
 * @param threads decides about the threads
 * @param connections decides about the connections
 */
record PoolTuning(Objective objective, Controller threads, Controller connections) {

  /** Names of all tunings. */
  static final List<String> NAMES = List.of("independent", "coordinated", "scg", "sct", "dcm");

  /**
   * Makes the controllers of a tuning; each is for one board.
   *
   * @throws IllegalArgumentException with the nearest valid name if there is none of that name
   */
  static PoolTuning named(String name, Objective objective) {
    Names.require("tuning", name, NAMES);
    return switch (name) {
      case "coordinated" -> {
        CoordinatedPools pair = CoordinatedPools.of(objective);
        yield new PoolTuning(objective, pair.threads(), pair.connections());
      }
      case "scg" -> new PoolTuning(objective, new ScgController(), new ScgController());
      case "sct" -> new PoolTuning(objective, new SctController(), new SctController());
      case "dcm" -> new PoolTuning(objective, new DcmController(), new DcmController());
      default ->
          new PoolTuning(
              objective,
              Controllers.forObjective(objective),
              Controllers.forObjective(Objective.throughput()));
    };
  }
}
