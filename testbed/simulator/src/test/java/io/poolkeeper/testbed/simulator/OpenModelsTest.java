package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.constant;
import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static io.poolkeeper.testbed.clients.Distribution.lognormal;
import static io.poolkeeper.testbed.simulator.Golden.assertEstimates;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import io.poolkeeper.testbed.simulator.statistics.PoolStats;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Open and half-open loads against exact solutions. Service takes 25 ms in the mean. */
final class OpenModelsTest {

  private static final Distribution SERVICE = exponential(0.025);

  private static Model onWorkers(Pool workers, Distribution service, Clients clients) {
    Tier tier = Tier.named("web").workers(workers).serve(Step.sleep(service)).build();
    return Model.of(tier, clients);
  }

  @Test
  void mm4() {
    Result result =
        Simulation.of(onWorkers(Pool.of(4), SERVICE, Clients.open(128))).warmup(100).run(20_000);
    assertEstimates("R", result.request().responseTime().mean(), 0.04363851, 0.01);
    PoolStats pool = result.pool("web");
    assertEstimates("p99 of the wait", pool.queueWait().p99(), 0.1277619, 0.02);
    assertThat(1 - pool.queueWait().within(0)).isCloseTo(0.596432, offset(0.003));
    assertThat(pool.busy()).isCloseTo(3.2, offset(0.01));
  }

  /**
   * Pollaczek and Khinchine with the time for which the worker is held: two exponential times of 10
   * ms, second moment 6e-4, load 0.5, so a wait of 25 * 6e-4 / 2 / 0.5 = 15 ms; the answer comes
   * after the first of them.
   */
  @Test
  void aWorkerThatLingersIsHeldAndTheAnswerComesBefore() {
    Tier tier =
        Tier.named("web")
            .workers(Pool.of(1))
            .serve(Step.sleep(exponential(0.010)))
            .linger(exponential(0.010))
            .build();
    Result result = Simulation.of(Model.of(tier, Clients.open(25))).warmup(100).run(20_000);
    assertEstimates("R", result.request().responseTime().mean(), 0.025, 0.02);
    assertEstimates("held", result.pool("web").serviceTime().mean(), 0.020, 0.01);
    assertThat(result.pool("web").busy()).isCloseTo(0.5, offset(0.01));
  }

  /** A caller goes on at the answer: what is called lingers beside it. */
  @Test
  void aCallerDoesNotWaitForTheWorkerThatLingers() {
    Tier front = Tier.named("front").workers(Pool.of(50)).serve(Step.call("back")).build();
    Tier back =
        Tier.named("back")
            .workers(Pool.of(50))
            .serve(Step.sleep(constant(0.010)))
            .linger(constant(0.030))
            .build();
    Model model =
        Model.builder().tier(front).tier(back).clients(Clients.open(20).at("front")).build();
    Result result = Simulation.of(model).warmup(10).run(2_000);
    assertEstimates("R", result.request().responseTime().mean(), 0.010, 1e-6);
    assertThat(result.pool("front").busy()).isCloseTo(0.2, offset(0.02));
    assertThat(result.pool("back").busy()).isCloseTo(0.8, offset(0.05));
  }

  /** A hundredth of this run would be a hundred million events. */
  @Test
  void aLongRunCanBeStoppedSoon() {
    Model model = onWorkers(Pool.of(4), SERVICE, Clients.open(128));
    Result result = Simulation.of(model).watch(seconds -> false).run(1e9);
    assertThat(result.events()).isLessThanOrEqualTo(1 << 20);
  }

  /** Sixteen in the system, so twelve may wait. */
  @Test
  void mm4WithABoundedQueue() {
    Model model = onWorkers(Pool.of(4).queue(12), SERVICE, Clients.open(200));
    double[] loss = new double[10];
    for (int seed = 0; seed < loss.length; seed++) {
      Result result = Simulation.of(model).seed(seed).warmup(10).run(3_000);
      loss[seed] = result.pool("web").lossRatio();
      assertThat(result.request().failures()).isEqualTo(result.pool("web").rejections());
    }
    // Here by replications: batches give no standard error of a ratio.
    assertEstimates("loss", Estimate.of(loss), 0.207086, 0.005);
    RequestStats request = Simulation.of(model).warmup(10).run(10_000).request();
    assertEstimates("X", request.throughput(), 158.582837, 0.002);
    assertEstimates("R", request.responseTime().mean(), 0.07902886, 0.002);
  }

  /** Pollaczek and Khinchine: the wait grows with the squared coefficient of variation. */
  @ParameterizedTest
  @CsvSource({"0, 0.075", "0.25, 0.0875", "1, 0.125", "4, 0.275", "16, 0.875"})
  void mg1(double scv, double response) {
    Distribution service = scv == 0 ? constant(0.025) : lognormal(0.025, scv);
    Model model =
        Model.of(
            Tier.named("web")
                .cpu(Station.cpu(1).firstComeFirstServed())
                .serve(Step.cpu(service))
                .build(),
            Clients.open(32));
    RequestStats request = Simulation.of(model).warmup(500).run(100_000).request();
    assertEstimates("R", request.responseTime().mean(), response, 0.06);
  }

  /** With processor sharing the mean does not depend on the distribution of the work. */
  @ParameterizedTest
  @CsvSource({"0", "1", "4"})
  void sharedCoreIsInsensitive(double scv) {
    Distribution service = scv == 0 ? constant(0.025) : lognormal(0.025, scv);
    Model model =
        Model.of(
            Tier.named("web").cpu(Station.cpu(1)).serve(Step.cpu(service)).build(),
            Clients.open(32));
    RequestStats request = Simulation.of(model).warmup(500).run(30_000).request();
    assertEstimates("R", request.responseTime().mean(), 0.125, 0.03);
  }

  /** The mean is that of the open model at rate / (1 - staying), however long clients think. */
  @ParameterizedTest
  @CsvSource({
    "16, 0.5, 1, 0.2, 0.125",
    "16, 0.5, 1, 5, 0.125",
    "12.8, 0.9, 4, 1, 0.04363851",
  })
  void halfOpen(double rate, double staying, int cores, double think, double response) {
    Model model =
        onWorkers(Pool.of(cores), SERVICE, Clients.sessions(rate, staying, exponential(think)));
    RequestStats request = Simulation.of(model).warmup(200).run(40_000).request();
    assertEstimates("R", request.responseTime().mean(), response, 0.02);
    assertEstimates("X", request.throughput(), rate / (1 - staying), 0.005);
  }

  /** A worker is held while two cores serve 10 ms and then through I/O of 40 ms. */
  @ParameterizedTest
  @CsvSource({"8, 0.067226023, 0.014022828", "12, 0.055847448, 0.000891932"})
  void heldPool(int size, double response, double wait) {
    Result result = Simulation.of(Model.of(held(size), Clients.open(120))).warmup(100).run(12_000);
    assertEstimates("R", result.request().responseTime().mean(), response, 0.01);
    assertEstimates("wait", result.pool("web").queueWait().mean(), wait, 0.05);
  }

  @Test
  void heldPoolLimitsTheThroughput() {
    RequestStats request =
        Simulation.of(Model.of(held(8), Clients.closed(60))).warmup(20).run(10_000).request();
    assertEstimates("X", request.throughput(), 146.595717, 0.002);
  }

  private static Tier held(int size) {
    return Tier.named("web")
        .workers(Pool.of(size))
        .cpu(Station.cpu(2).firstComeFirstServed())
        .serve(Step.cpu(exponential(0.010)), Step.sleep(exponential(0.040)))
        .build();
  }
}
