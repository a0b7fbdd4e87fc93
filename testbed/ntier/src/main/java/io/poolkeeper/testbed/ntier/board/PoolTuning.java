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
 * @param connectionObjective of the uses of connections
 * @param connections decides about the connections
 */
record PoolTuning(
    Objective objective,
    Controller threads,
    Objective connectionObjective,
    Controller connections) {

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
        yield throughput(objective, pair.threads(), pair.connections());
      }
      // A use has the deadline of its request: what a request does before its first use is short.
      case "scg" -> new PoolTuning(objective, new ScgController(), objective, new ScgController());
      case "sct" -> throughput(objective, new SctController(), new SctController());
      case "dcm" -> throughput(objective, new DcmController(), new DcmController());
      default ->
          throughput(
              objective,
              Controllers.forObjective(objective),
              Controllers.forObjective(Objective.throughput()));
    };
  }

  private static PoolTuning throughput(
      Objective objective, Controller threads, Controller connections) {
    return new PoolTuning(objective, threads, Objective.throughput(), connections);
  }
}
