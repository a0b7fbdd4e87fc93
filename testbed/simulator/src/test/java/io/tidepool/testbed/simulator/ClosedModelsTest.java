package io.tidepool.testbed.simulator;

import static io.tidepool.testbed.clients.Distribution.exponential;
import static io.tidepool.testbed.simulator.Golden.assertEstimates;

import io.tidepool.testbed.clients.Clients;
import io.tidepool.testbed.simulator.model.Model;
import io.tidepool.testbed.simulator.model.Pool;
import io.tidepool.testbed.simulator.model.Station;
import io.tidepool.testbed.simulator.model.Step;
import io.tidepool.testbed.simulator.model.Tier;
import io.tidepool.testbed.simulator.statistics.RequestStats;
import io.tidepool.testbed.simulator.statistics.TimesEstimate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Closed users against exact solutions. Service takes 25 ms, exponential. */
final class ClosedModelsTest {

  private static Model model(Station.Cpu cpu, Clients clients) {
    return Model.of(
        Tier.named("web").cpu(cpu).serve(Step.cpu(exponential(0.025))).build(), clients);
  }

  /** The machine repairman, whose throughput and mean do not depend on the order of service. */
  @ParameterizedTest
  @CsvSource({
    "10, 2, 0.1, 68.341299, 0.04632441, true",
    "10, 2, 0.1, 68.341299, 0.04632441, false",
    "50, 1, 1, 39.252373, 0.27380833, true",
    "50, 1, 1, 39.252373, 0.27380833, false",
    "100, 4, 0.5, 159.034480, 0.12879446, false",
    "1000, 4, 7, 141.579839, 0.063152564, true",
    "1200, 4, 7, 159.870804, 0.506060971, false",
  })
  void thinkingUsers(
      int users, int cores, double think, double rate, double response, boolean shared) {
    Station.Cpu cpu = Station.cpu(cores);
    Model model =
        model(
            shared ? cpu : cpu.firstComeFirstServed(),
            Clients.closed(users).thinking(exponential(think)));
    RequestStats request = Simulation.of(model).warmup(200).run(20_000).request();
    assertEstimates("throughput", request.throughput(), rate, 0.002);
    assertEstimates("mean response time", request.responseTime().mean(), response, 0.02);
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
  @CsvSource({
    "2, 80",
    "4, 160",
    "8, 156.862745",
    "16, 150.943396",
    "32, 140.350877",
    "64, 123.076923",
    "128, 98.766306",
    "200, 91.388062",
  })
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
