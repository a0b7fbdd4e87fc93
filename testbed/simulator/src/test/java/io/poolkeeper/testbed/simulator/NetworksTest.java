package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static io.poolkeeper.testbed.simulator.Golden.assertEstimates;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.simulator.model.Balancer;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Several stations and several tiers. */
final class NetworksTest {

  /** Users who think for a second, and tiers that call each other: the first does its own work. */
  private static Model chain(int users, double[] demands, int[] cores) {
    Model.Builder model = Model.builder();
    for (int i = 0; i < demands.length; i++) {
      List<Step> steps = new ArrayList<>(List.of(Step.cpu(exponential(demands[i]))));
      if (i < demands.length - 1) {
        steps.add(Step.call("tier" + (i + 1)));
      }
      model.tier(
          Tier.named("tier" + i)
              .cpu(Station.cpu(cores[i]).firstComeFirstServed())
              .serve(Tier.ANY, steps)
              .build());
    }
    return model.clients(Clients.closed(users).thinking(exponential(1))).build();
  }

  @ParameterizedTest
  @CsvSource({"20, 19.073269, 0.048587953", "50, 44.089444, 0.134058311"})
  void threeStations(int users, double rate, double response) {
    Model model = chain(users, new double[] {0.005, 0.020, 0.010}, new int[] {1, 1, 1});
    RequestStats request = Simulation.of(model).warmup(100).run(20_000).request();
    assertEstimates("X", request.throughput(), rate, 0.002);
    assertEstimates("R", request.responseTime().mean(), response, 0.01);
  }

  @Test
  void stationsOfSeveralCores() {
    Model model = chain(60, new double[] {0.004, 0.040, 0.002, 0.012}, new int[] {2, 2, 1, 1});
    RequestStats request = Simulation.of(model).warmup(100).run(20_000).request();
    assertEstimates("X", request.throughput(), 48.279198, 0.002);
    assertEstimates("R", request.responseTime().mean(), 0.242771276, 0.01);
  }

  /** Random splitting makes each replica an M/M/1; the other balancers do better, in this order. */
  @ParameterizedTest
  @EnumSource(Balancer.class)
  void balancers(Balancer balancer) {
    Tier tier =
        Tier.named("web")
            .replicas(2, balancer)
            .cpu(Station.cpu(1).firstComeFirstServed())
            .serve(Step.cpu(exponential(0.025)))
            .build();
    Result result = Simulation.of(Model.of(tier, Clients.open(64))).warmup(100).run(20_000);
    RequestStats request = result.request();
    double mean = request.responseTime().mean().value();
    switch (balancer) {
      case RANDOM -> assertEstimates("R", request.responseTime().mean(), 0.125, 0.02);
      // Each replica sees Erlang arrivals of two stages: sigma = 0.73985, the root of
      // sigma = (2 * 32 / (2 * 32 + 40 * (1 - sigma)))^2, and R = 0.025 / (1 - sigma).
      case ROUND_ROBIN -> assertEstimates("R", request.responseTime().mean(), 0.0960995, 0.02);
      // Between the two above and the common queue of an M/M/2, 69.4 ms.
      case LEAST_CONNECTIONS -> assertThat(mean).isBetween(0.0695, 0.085);
    }
    assertThat(result.station("web-1.cpu").utilisation()).isCloseTo(0.8, offset(0.01));
    assertThat(result.station("web-2.cpu").utilisation()).isCloseTo(0.8, offset(0.01));
  }

  /** A worker is held while the tier below is called, so four workers make it a closed system. */
  @Test
  void workersAreHeldWhileTheTierBelowWorks() {
    Model model =
        Model.builder()
            .tier(Tier.named("web").workers(Pool.of(4)).serve(Step.call("db").times(2)).build())
            .tier(
                Tier.named("db")
                    .cpu(Station.cpu(8).firstComeFirstServed())
                    .serve(Step.cpu(exponential(0.010)))
                    .build())
            .clients(Clients.closed(50))
            .build();
    Result result = Simulation.of(model).warmup(10).run(5_000);
    assertEstimates("X", result.request().throughput(), 4 / 0.020, 0.003);
    assertThat(result.pool("web").busy()).isCloseTo(4, offset(1e-9));
    assertThat(result.station("db.cpu").present()).isCloseTo(4, offset(1e-6));
  }

  /** 3.21 calls in the mean, each under one of two connections. */
  @Test
  void connectionsLimitTheCalls() {
    Model model =
        Model.builder()
            .tier(
                Tier.named("web")
                    .workers(Pool.of(20))
                    .pool("connections", Pool.of(2))
                    .serve(Step.call("db").through("connections").times(3.21))
                    .build())
            .tier(Tier.named("db").serve(Step.sleep(exponential(0.010))).build())
            .clients(Clients.closed(50))
            .build();
    Result result = Simulation.of(model).warmup(10).run(5_000);
    assertEstimates("X", result.request().throughput(), 2 / 0.010 / 3.21, 0.004);
    assertThat(result.pool("web.connections").busy()).isCloseTo(2, offset(0.001));
    assertThat(result.pool("web.connections").queueMean()).isCloseTo(18, offset(0.01));
  }

  /**
   * A lock around 4 ms of 10: by Amdahl's reasoning 250 a second at most, on however many cores.
   */
  @Test
  void lockLimitsTheThroughput() {
    Tier tier =
        Tier.named("web")
            .workers(Pool.of(64))
            .cpu(Station.cpu(16))
            .pool("lock", Pool.of(1))
            .serve(Step.cpu(exponential(0.006)), Step.holding("lock", Step.cpu(exponential(0.004))))
            .build();
    Result result = Simulation.of(Model.of(tier, Clients.closed(64))).warmup(10).run(2_000);
    assertEstimates("X", result.request().throughput(), 250, 0.004);
    assertThat(result.pool("web.lock").utilisation()).isGreaterThan(0.999);
  }

  @Test
  void choiceTakesEachCaseAsOftenAsItShould() {
    Model model =
        Model.builder()
            .tier(
                Tier.named("web")
                    .serve(
                        Step.choose(
                            Step.with(0.5, Step.call("a")),
                            Step.with(0.3, Step.call("b")),
                            Step.with(0.2)))
                    .build())
            .tier(Tier.named("a").workers(Pool.of(1)).serve(Step.sleep(exponential(0.001))).build())
            .tier(Tier.named("b").workers(Pool.of(1)).serve(Step.sleep(exponential(0.001))).build())
            .clients(Clients.open(100))
            .build();
    Result result = Simulation.of(model).run(1_000);
    assertThat(result.pool("a").throughput()).isCloseTo(50, offset(1.0));
    assertThat(result.pool("b").throughput()).isCloseTo(30, offset(1.0));
  }

  /**
   * Checks that a refusal by the tier below fails the request, and gives back the worker and the
   * connection.
   */
  @Test
  void refusalBelowFailsTheRequestAndGivesEverythingBack() {
    Model model =
        Model.builder()
            .tier(
                Tier.named("web")
                    .workers(Pool.of(50))
                    .pool("connections", Pool.of(40))
                    .serve(Step.call("db").through("connections"))
                    .build())
            .tier(
                Tier.named("db")
                    .workers(Pool.of(1).queue(0))
                    .serve(Step.sleep(exponential(0.010)))
                    .build())
            .clients(Clients.open(100))
            .build();
    Result result = Simulation.of(model).run(1_000);
    // Erlang's loss formula with one server and a load of 1.
    assertThat(result.pool("db").lossRatio()).isCloseTo(0.5, offset(0.01));
    assertThat(result.request().failures()).isEqualTo(result.pool("db").rejections());
    assertThat(result.pool("web").failures()).isEqualTo(result.pool("db").rejections());
    assertThat(result.pool("web").busy()).isCloseTo(0.5, offset(0.02));
  }
}
