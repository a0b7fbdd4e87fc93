package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/**
 * Kind of work like those of experiments/real-work. The best sizes are from two to all users.
 *
 * @param plant model of what does the work
 */
record WorkKind(Plant plant) {

  /** A downstream service that takes 16 calls of 20 ms at once, and slows down beyond. */
  static final WorkKind CALL20 = of("call20", k -> calls(k, 16, 0.02), 0.0004);

  /** One that takes 400 calls of 400 ms at once: no user ever waits for another. */
  static final WorkKind CALL400 = of("call400", k -> calls(k, 400, 0.4), 0.0004);

  /** Transactions on four rows: each further one slows all others down. */
  static final WorkKind HOT_ROWS =
      of("hot-rows", k -> 3000 * (k <= 4 ? k / 4.0 : 1 / (1 + 0.06 * (k - 4))), 0.0003);

  /** Computing on two processors. */
  static final WorkKind CPU = of("cpu", k -> 250.0 * Math.min(k, 2), 0.004);

  /** Work whose throughput falls to a tenth beyond 32 workers. */
  static final WorkKind REPORT =
      of("report", k -> k <= 32 ? 225.0 * k / (k + 4) : Math.max(20, 200 - 6.0 * (k - 32)), 0.006);

  /** All kinds, in the order of their turns. */
  static final List<WorkKind> ALL = List.of(CALL20, CALL400, HOT_ROWS, CPU, REPORT);

  /** Calls and transactions that come at the same time. */
  static final WorkKind MIXED =
      of(
          "mixed",
          k -> 3 / (1 / CALL20.rate(k) + 1 / CALL400.rate(k) + 1 / HOT_ROWS.rate(k)),
          0.00035);

  private static double calls(int k, double places, double seconds) {
    return Math.min(k, places) / (seconds * (1 + 0.1 * Math.max(0, k - places) / places));
  }

  private static WorkKind of(String word, IntToDoubleFunction rate, double cpuSeconds) {
    List<TaskClass> equal = List.of(new TaskClass(1, 1));
    return new WorkKind(new Plant(word, word, word, new Curve(rate), cpuSeconds, equal, word));
  }

  private double rate(int tasks) {
    return plant.curve().at(tasks);
  }

  /** Name for people. */
  String word() {
    return plant.name();
  }
}
