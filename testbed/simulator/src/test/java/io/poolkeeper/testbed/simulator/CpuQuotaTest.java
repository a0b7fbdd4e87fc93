package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.constant;
import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.simulator.model.CpuQuota;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cores under a CPU quota, which stand still once the CPU time of a period is used up. */
final class CpuQuotaTest {

  private static final double PERIOD = 0.1;

  /** Nanoseconds by which the end of a budget is rounded. */
  private static final double ROUNDING = 1e-8;

  private static Simulation simulation(Station station, Distribution work, Clients... clients) {
    Tier tier = Tier.named("web").workers(Pool.of(50)).cpu(station).serve(Step.cpu(work)).build();
    Model.Builder model = Model.builder().tier(tier);
    for (Clients each : clients) {
      model.clients(each);
    }
    return Simulation.of(model.build());
  }

  /** Requests that arrive in each second at its start, which is that of a period too. */
  private static Clients arriving(String name) {
    return Clients.open(1).arriving(new Pattern.Constant()).named(name);
  }

  private static void assertAlike(Station station, int tasks, double work, double response) {
    Clients[] clients = new Clients[tasks];
    for (int i = 0; i < tasks; i++) {
      clients[i] = arriving("clients " + i);
    }
    Result result = simulation(station, constant(work), clients).run(10.5);
    for (Clients each : clients) {
      assertThat(
              result.requests().stream()
                  .filter(request -> request.clients().equals(each.name()))
                  .mapToDouble(request -> request.responseTime().mean().value()))
          .singleElement()
          .satisfies(mean -> assertThat(mean).isCloseTo(response, offset(ROUNDING)));
    }
  }

  @ParameterizedTest
  @CsvSource({
    // 30 ms run, 70 ms wait, 20 ms run.
    "1, 0.3, 0,    1, 0.050, 0.120",
    "2, 0.3, 0,    1, 0.050, 0.120",
    // The CPU time of the period is just enough.
    "1, 0.3, 0,    1, 0.030, 0.030",
    "1, 0.3, 0,    1, 0.031, 0.101",
    // Two waits.
    "1, 0.3, 0,    1, 0.070, 0.210",
    // 10 ms to the end of a period, of which enough is left; 30 ms run, 70 ms wait, 10 ms run.
    "1, 0.3, 0.01, 1, 0.050, 0.120",
    // 20 ms to the end of a period, then 30 ms.
    "1, 0.3, 0.02, 1, 0.050, 0.050",
    // Two tasks share the core: 15 ms of each run in 30 ms, 70 ms wait, 30 ms.
    "1, 0.3, 0,    2, 0.030, 0.130",
    // On two cores they use the quota up twice as fast.
    "2, 0.3, 0,    2, 0.030, 0.115",
    // More than a core: two tasks use up 150 ms in 75 ms; alone a task never does.
    "2, 1.5, 0,    2, 0.080, 0.105",
    "2, 1.5, 0,    1, 0.400, 0.400",
  })
  void tasksStandStillOnceTheQuotaOfThePeriodIsUsedUp(
      int cores, double quota, double begins, int tasks, double work, double response) {
    CpuQuota limit = CpuQuota.of(quota, PERIOD).offset(begins);
    assertAlike(Station.cpu(cores).quota(limit), tasks, work, response);
  }

  /**
   * The first task finds the 30 ms of the first period. Of the time before each later one, in which
   * nothing was done, 10 ms are left.
   */
  @ParameterizedTest
  @CsvSource({
    // 30 ms, 70 ms wait, 20 ms; 40 ms, 60 ms wait, 10 ms.
    "0.050, 0.120, 0.110",
    "0.040, 0.110, 0.040",
    // 40 ms, 60 ms wait, 30 ms, 70 ms wait, 10 ms: what is left over is used once.
    "0.080, 0.220, 0.210",
  })
  void timeThatIsLeftOverIsSavedUpToTheBurst(double work, double first, double later) {
    Station station = Station.cpu(1).quota(CpuQuota.of(0.3, PERIOD).burst(0.01).offset(0));
    Result result = simulation(station, constant(work), arriving("clients")).run(9.5);
    assertThat(result.request().completions()).isEqualTo(10);
    assertThat(result.request().responseTime().mean().value())
        .isCloseTo((first + 9 * later) / 10, offset(ROUNDING));
  }

  /** At half the speed 30 ms of CPU time last 60 ms: 60 ms, 40 ms wait, 40 ms. */
  @Test
  void slowProcessorUsesTheQuotaUpMoreSlowly() {
    Noise half = new Noise.Replay(List.of(0.5), 1);
    CpuQuota limit = CpuQuota.of(0.3, PERIOD).offset(0);
    assertAlike(Station.cpu(1).with(half).quota(limit), 1, 0.05, 0.14);
  }

  /** Two tasks, each of which does half of its work: three times 15 ms of it, then 5 ms. */
  @Test
  void overheadUsesCpuTime() {
    CpuQuota limit = CpuQuota.of(0.3, PERIOD).offset(0);
    assertAlike(Station.cpu(1).overhead(1).quota(limit), 2, 0.025, 0.31);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void saturatedServerGivesItsQuota(boolean shared) {
    Station.Cpu cpu = Station.cpu(2).quota(CpuQuota.of(0.3, PERIOD));
    Result result =
        simulation(shared ? cpu : cpu.firstComeFirstServed(), exponential(0.01), Clients.closed(20))
            .warmup(10)
            .run(2_000);
    assertThat(result.request().throughput().value()).isCloseTo(30, offset(0.9));
    assertThat(result.station("web.cpu").utilisation()).isCloseTo(1, offset(1e-6));
  }

  /** 10 requests a second, each of 15 ms, of a quota of 0.3 cores: nothing of it gets lost. */
  @Test
  void utilisationIsThatOfTheQuota() {
    Station station = Station.cpu(2).quota(CpuQuota.of(0.3, PERIOD));
    Result result = simulation(station, constant(0.015), Clients.open(10)).batches(10).run(2_000);
    double perSecond = result.request().throughput().value();
    assertThat(result.station("web.cpu").utilisation())
        .isCloseTo(perSecond * 0.015 / 0.3, offset(1e-4));
    assertThat(result.station("web.cpu").utilisationSeries())
        .allSatisfy(part -> assertThat(part).isCloseTo(0.5, offset(0.05)));
    assertThat(result.request().responseTime().mean().value()).isBetween(0.015, 0.1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {2, 3.5})
  void quotaOfAllCoresStopsNothing(double quota) {
    Station.Cpu cpu = Station.cpu(2);
    Clients users = Clients.closed(5).thinking(exponential(0.02));
    Result without = simulation(cpu, exponential(0.01), users).run(100);
    Result with =
        simulation(cpu.quota(CpuQuota.of(quota, PERIOD)), exponential(0.01), users).run(100);
    assertThat(with).isEqualTo(without);
  }

  @Test
  void periodsBeginAtAMomentThatTheSeedDraws() {
    Simulation drawn =
        simulation(
            Station.cpu(1).quota(CpuQuota.of(0.3, PERIOD)), constant(0.05), arriving("clients"));
    double first = drawn.seed(1).run(10.5).request().responseTime().mean().value();
    double same = drawn.seed(1).run(10.5).request().responseTime().mean().value();
    double other = drawn.seed(4).run(10.5).request().responseTime().mean().value();
    assertThat(first).isEqualTo(same).isNotEqualTo(other);
  }

  /** 100 requests, each of one task that is stopped once, in 1000 periods. */
  @Test
  void idleServerHasNoEvents() {
    CpuQuota limit = CpuQuota.of(0.3, PERIOD).offset(0);
    Result result =
        simulation(Station.cpu(1).quota(limit), constant(0.05), arriving("clients")).run(99.5);
    assertThat(result.request().completions()).isEqualTo(100);
    assertThat(result.events()).isLessThan(600);
  }
}
