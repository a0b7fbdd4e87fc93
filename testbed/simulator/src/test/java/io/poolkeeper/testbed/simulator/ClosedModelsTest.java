package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static io.poolkeeper.testbed.simulator.Golden.assertEstimates;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import io.poolkeeper.testbed.simulator.statistics.TimesEstimate;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/** Closed users against exact solutions. Service takes 25 ms, exponential. */
final class ClosedModelsTest {

  private static Model model(Station.Cpu cpu, Clients clients) {
    return Model.of(
        Tier.named("web").cpu(cpu).serve(Step.cpu(exponential(0.025))).build(), clients);
  }

  /** The machine repairman, whose throughput and mean do not depend on the order of service. */
  @ParameterizedTest
  @CsvFileSource(files = "../../contract/queues/repairman.csv", useHeadersInDisplayName = true)
  void thinkingUsers(int users, int cores, double think, double rate, double response) {
    Station.Cpu shared = Station.cpu(cores);
    for (Station.Cpu cpu : List.of(shared, shared.firstComeFirstServed())) {
      Model model = model(cpu, Clients.closed(users).thinking(exponential(think)));
      RequestStats request = Simulation.of(model).warmup(200).run(20_000).request();
      assertEstimates("throughput", request.throughput(), rate, 0.002);
      assertEstimates("mean response time", request.responseTime().mean(), response, 0.02);
    }
  }

  @ParameterizedTest
  @CsvSource("1000, 4, 6.25, 6.2478201, 6.7221745")
  void saturated(int users, int cores, double mean, double p50, double p99) {
    Model model = model(Station.cpu(cores).firstComeFirstServed(), Clients.closed(users));
    TimesEstimate response = Simulation.of(model).warmup(50).run(20_000).request().responseTime();
    assertEstimates("mean", response.mean(), mean, 0.002);
    assertEstimates("p50", response.p50(), p50, 0.002);
    assertEstimates("p99", response.p99(), p99, 0.002);
  }

  /** Both ways to say that threads beyond the cores cost: the station's curve, its overhead. */
  @ParameterizedTest
  @CsvFileSource(
      files = "../../contract/queues/over-allocation.csv",
      useHeadersInDisplayName = true)
  void overAllocation(int size, double rate) {
    Clients clients = Clients.closed(200).thinking(exponential(0.5));
    Station curve = Station.curve(k -> 40 * Math.min(k, 4) / (1 + 0.005 * Math.max(0, k - 4)));
    Tier byCurve =
        Tier.named("byCurve")
            .workers(Pool.of(size))
            .cpu(curve)
            .serve(Step.cpu(exponential(1)))
            .build();
    Tier byOverhead =
        Tier.named("byOverhead")
            .workers(Pool.of(size))
            .cpu(Station.cpu(4).overhead(0.005))
            .serve(Step.cpu(exponential(0.025)))
            .build();
    for (Tier tier : new Tier[] {byCurve, byOverhead}) {
      RequestStats request = Simulation.of(Model.of(tier, clients)).warmup(50).run(2_000).request();
      assertEstimates(tier.name(), request.throughput(), rate, 0.003);
    }
  }
}
