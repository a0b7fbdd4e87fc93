package io.poolkeeper.testbed.benchmarks.simulator;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.Simulation;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;

/** The closed machine in the simulator of the testbed, as a model is described there. */
final class OwnMachine {

  private static final double WARM_UP = 30;

  private final Model model;
  private final boolean thinks;
  private long measuredSince;
  private long heap;

  /**
   * @param think mean think time, seconds; 0 for none
   * @param service mean service time, seconds
   */
  OwnMachine(int users, int servers, double think, double service) {
    thinks = think > 0;
    Tier tier =
        Tier.named("machine")
            .cpu(Station.cpu(servers).firstComeFirstServed())
            .serve(Step.cpu(Distribution.exponential(service)))
            .build();
    Clients.Closed clients = Clients.closed(users);
    model = Model.of(tier, thinks ? clients.thinking(Distribution.exponential(think)) : clients);
  }

  /**
   * Figures of a run after its warm-up.
   *
   * @param completions requests that were answered
   * @param events that happened: an end of service each, and an end of thinking where users think
   * @param seconds it took
   */
  record Pace(long completions, long events, double seconds) {
    double eventsPerSecond() {
      return events / seconds;
    }

    double completionsPerSecond() {
      return completions / seconds;
    }
  }

  /** Runs for some virtual seconds after a warm-up of {@value #WARM_UP}, with its statistics. */
  Pace run(double seconds) {
    measuredSince = 0;
    Result result =
        Simulation.of(model)
            .warmup(WARM_UP)
            .watch(
                at -> {
                  if (measuredSince == 0 && at >= WARM_UP) {
                    measuredSince = System.nanoTime();
                  }
                  return true;
                })
            .run(seconds);
    double elapsed = (System.nanoTime() - measuredSince) / 1e9;
    long completions = result.request().completions();
    return new Pace(completions, thinks ? 2 * completions : completions, elapsed);
  }

  /** Bytes of the heap that are in use once all users are there. */
  long heap() {
    heap = 0;
    Simulation.of(model)
        .watch(
            at -> {
              if (heap == 0 && at >= WARM_UP) {
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                heap = runtime.totalMemory() - runtime.freeMemory();
              }
              return heap == 0;
            })
        .run(2 * WARM_UP);
    return heap;
  }
}
