package io.poolkeeper.testbed.controllers.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Decision;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Exploring;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Phase;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Scaling;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Settled;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Startup;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.State;
import io.poolkeeper.testbed.controllers.disk.ScaleSettings.AskedBy;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Properties of the state machine that hold whatever it measures. */
final class ScaleAdapterFuzzTest {

  private static final Map<Class<? extends Phase>, Set<Class<? extends Phase>>> LEADS_TO =
      Map.of(
          Startup.class, Set.of(Startup.class, Scaling.class),
          Scaling.class, Set.of(Scaling.class, Settled.class),
          Settled.class, Set.of(Settled.class, Exploring.class),
          Exploring.class, Set.of(Exploring.class, Scaling.class, Settled.class));

  /** Rates that wander, drop and stop, windows of any length, workers that leave late, a bound. */
  @Property(tries = 100)
  void stepsAreSmallAndLegal(
      @ForAll long seed, @ForAll boolean drops, @ForAll boolean calls, @ForAll boolean average) {
    SplittableRandom random = new SplittableRandom(seed);
    ScaleSettings settings =
        new ScaleSettings(
            Duration.ofMillis(800),
            0.97,
            Duration.ofMillis(average ? 3000 : 0),
            drops,
            calls,
            random.nextBoolean() ? AskedBy.MANAGER : AskedBy.WORKERS);
    ScaleAdapter adapter =
        new ScaleAdapter("fuzz", settings, Signal.THROUGHPUT, Signal.SERVICE_TIME);
    int bound = 1 + random.nextInt(64);
    int size = 1 + random.nextInt(bound);
    double rate = 1000;
    for (int i = 0; i < 400; i++) {
      rate = Math.max(1, rate * Math.exp(0.2 * random.nextGaussian()));
      boolean drop = random.nextInt(20) == 0;
      boolean idle = random.nextInt(30) == 0;
      long completions = idle ? 0 : Math.round(rate * (drop ? 0.05 : 0.2));
      State before = adapter.state();
      Decision decision =
          adapter.decide(
              WindowBuilder.ofSize(size)
                  .lasting(Duration.ofMillis(100 + random.nextInt(300)))
                  .busy(idle ? 0 : size * (random.nextInt(10) == 0 ? 1.1 : 1))
                  .completions(completions)
                  .response(1 + random.nextDouble() * 20)
                  .build());
      State after = adapter.state();
      assertThat(decision.size()).isPositive();
      assertThat(Math.abs(decision.size() - size)).as(decision.reason()).isLessThanOrEqualTo(4);
      assertThat(LEADS_TO.get(before.phase().getClass())).contains(after.phase().getClass());
      if (before.phase() instanceof Settled settled && after.clock() < settled.until()) {
        assertThat(decision.size()).as("within the pause: %s", decision.reason()).isEqualTo(size);
      }
      if (after.phase() instanceof Scaling scaling) {
        assertThat(Math.abs(scaling.step())).isBetween(1, 4);
      }
      assertThat(after.subs()).as("subintervals kept").hasSizeLessThan(40);
      size = Math.min(bound, random.nextInt(40) == 0 ? 1 + random.nextInt(bound) : decision.size());
    }
  }
}
