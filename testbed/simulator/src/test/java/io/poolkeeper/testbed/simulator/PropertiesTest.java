package io.poolkeeper.testbed.simulator;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.Bounds;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.simulator.model.Balancer;
import io.poolkeeper.testbed.simulator.model.CpuQuota;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import io.poolkeeper.testbed.simulator.statistics.PoolStats;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Properties of every run of every model: nothing gets lost, Little's law, bounds, and the same run
 * for the same seed. Models, and what a controller asks for, are drawn from the seed.
 */
final class PropertiesTest {

  private static final double LOADED = 5;

  /** Long enough for all that was sent until {@link #LOADED} to end. */
  private static final double SECONDS = 400;

  private static Distribution time(Random random) {
    double mean = 0.002 + 0.02 * random.nextDouble();
    return switch (random.nextInt(4)) {
      case 0 -> Distribution.constant(mean);
      case 1 -> Distribution.exponential(mean);
      case 2 -> Distribution.uniform(0, 2 * mean);
      default -> Distribution.lognormal(mean, 3 * random.nextDouble() + 0.1);
    };
  }

  private static Pool pool(Random random) {
    int maximum = 1 + random.nextInt(20);
    int queue = random.nextBoolean() ? Pool.UNBOUNDED : random.nextInt(5);
    return new Pool(1 + random.nextInt(maximum), new Bounds(1, maximum), queue);
  }

  private static Station cpu(Random random) {
    Station.Cpu cpu = Station.cpu(1 + random.nextInt(4));
    if (random.nextBoolean()) {
      cpu = cpu.firstComeFirstServed();
    }
    if (random.nextBoolean()) {
      cpu = cpu.overhead(0.01);
    }
    if (random.nextBoolean()) {
      cpu = cpu.quota(CpuQuota.of(cpu.cores() * (0.5 + random.nextDouble()), 0.1));
    }
    return random.nextBoolean() ? cpu.with(Noise.gcPauses(1, 0.05)) : cpu;
  }

  private static Model draw(Random random) {
    Balancer[] balancers = Balancer.values();
    Tier web =
        Tier.named("web")
            .replicas(1 + random.nextInt(3), balancers[random.nextInt(balancers.length)])
            .workers(pool(random))
            .cpu(cpu(random))
            .pool("connections", pool(random))
            .serve(
                Step.cpu(time(random)),
                Step.call("db").through("connections").times(3 * random.nextDouble()),
                Step.choose(Step.with(0.3, Step.sleep(time(random))), Step.with(0.7)))
            .build();
    Tier db =
        Tier.named("db")
            .workers(pool(random))
            .station("disk", Station.curve(k -> 100.0 * k / (1 + 0.1 * k)))
            .pool("lock", Pool.of(1))
            .serve(
                Step.use("disk", Distribution.exponential(1)),
                Step.holding("lock", Step.sleep(time(random))))
            .build();
    boolean open = random.nextBoolean();
    List<Phase> phases =
        open
            ? List.of(new Phase(LOADED, 5 + 100 * random.nextDouble()))
            : List.of(new Phase(2, 1 + random.nextInt(30)), new Phase(3, random.nextInt(30)));
    Clients clients =
        open
            ? Clients.open(phases).staying(0.3).thinking(time(random))
            : Clients.closed(phases).thinking(time(random));
    return Model.builder().tier(web).tier(db).clients(clients).build();
  }

  private static Windows control(Simulation simulation, String pool, long seed) {
    Windows windows = new Windows();
    Random random = new Random(seed);
    simulation.control(
        pool,
        loop ->
            loop.controller(window -> Decision.towards(random.nextInt(30) - 3, "drawn"))
                .window(ofMillis(100))
                .listener(windows));
    return windows;
  }

  @Property(tries = 60)
  void nothingGetsLostAndLittlesLawHolds(@ForAll long seed) {
    Model model = draw(new Random(seed));
    Simulation simulation = Simulation.of(model).seed(seed);
    control(simulation, "db", seed);
    Result result = simulation.run(SECONDS);
    for (PoolStats pool : result.pools()) {
      // All has ended, so what arrived was completed, failed below, or was refused.
      assertThat(pool.arrivals())
          .as("arrivals of %s", pool.name())
          .isEqualTo(pool.completions() + pool.failures() + pool.rejections());
      if (pool.queueWait().count() > 0) {
        double ended = pool.completions() + pool.failures();
        double waited = ended * pool.queueWait().mean().value();
        double served = ended * pool.serviceTime().mean().value();
        // Little: time-weighted numbers are rates times times, exactly, because all has ended.
        assertThat(pool.queueMean() * SECONDS).isCloseTo(waited, offset(1e-6 + 1e-9 * waited));
        assertThat(pool.busy() * SECONDS).isCloseTo(served, offset(1e-6 + 1e-9 * served));
      }
    }
    RequestStats request = result.request();
    long atTheDoor =
        result.pools().stream()
            .filter(pool -> pool.name().matches("web(-\\d)?"))
            .mapToLong(PoolStats::arrivals)
            .sum();
    assertThat(request.completions() + request.failures()).isEqualTo(atTheDoor);
  }

  @Property(tries = 60)
  void windowsAddUpAndStayWithinBounds(@ForAll long seed) {
    Model model = draw(new Random(seed));
    Simulation simulation = Simulation.of(model).seed(seed);
    Windows windows = control(simulation, "db", seed);
    Result result = simulation.run(2 * LOADED);
    Bounds bounds =
        Objects.requireNonNull(model.tiers().get("db")).workers().orElseThrow().bounds();
    long inSystem = 0;
    for (Window window : windows.all) {
      assertThat(bounds.contain(window.size())).isTrue();
      assertThat(window.busy()).isBetween(0.0, bounds.maximum() + 1e-9);
      assertThat(window.queueMean()).isBetween(0.0, window.queueMax() + 1e-9);
      assertThat(window.serviceTime().count()).isEqualTo(window.completions() + window.failures());
      inSystem +=
          window.arrivals() - window.completions() - window.failures() - window.rejections();
      assertThat(inSystem).isNotNegative();
    }
    assertThat(windows.all.stream().mapToLong(Window::completions).sum())
        .isEqualTo(result.pool("db").completions());
  }

  @Property(tries = 30)
  void sameSeedSameRun(@ForAll long seed) {
    Model model = draw(new Random(seed));
    Simulation first = Simulation.of(model).seed(seed);
    Simulation other = Simulation.of(model).seed(seed);
    Windows windowsOfFirst = control(first, "web", 3);
    Windows windowsOfOther = control(other, "web", 3);
    assertThat(first.run(LOADED)).isEqualTo(other.run(LOADED));
    assertThat(windowsOfFirst.all).isEqualTo(windowsOfOther.all).isNotEmpty();
  }
}
