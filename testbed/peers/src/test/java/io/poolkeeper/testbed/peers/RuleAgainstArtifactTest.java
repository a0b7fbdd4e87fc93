package io.poolkeeper.testbed.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.controllers.rules.AimdRule;
import io.poolkeeper.testbed.controllers.rules.Gradient2Rule;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.controllers.rules.VegasRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules built from their description and the artifacts of Netflix concurrency-limits, sample by
 * sample on seeded sequences: the same limits after every sample, with one exception that has its
 * own test.
 */
final class RuleAgainstArtifactTest {

  private static final int SEEDS = 20;
  private static final int SAMPLES = 3000;

  /** Larger than any number of samples here: it never probes. */
  private static final int NO_PROBE = 1_000_000;

  /** A plant in phases: how long a task takes alone, and how many tasks it serves at once. */
  private static List<Integer> limits(SampleRule rule, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> limits = new ArrayList<>();
    long clock = 0;
    double alone = 10e6;
    int knee = 30;
    for (int i = 0; i < SAMPLES; i++) {
      if (i % 500 == 0) {
        alone = 1e6 * (1 + random.nextInt(100));
        knee = 1 + random.nextInt(150);
      }
      // The use of the limit is drawn, not computed from it: both see the same samples even where
      // they would come apart.
      int inFlight = 1 + random.nextInt(250);
      double time =
          alone * Math.max(1, (double) inFlight / knee) * (0.8 + 0.4 * random.nextDouble());
      boolean dropped = random.nextInt(50) == 0;
      clock += 1_000_000;
      rule.sample(
          clock, random.nextInt(400) == 0 ? 6_000_000_000L : (long) time, inFlight, dropped);
      limits.add(rule.limit());
    }
    return limits;
  }

  static Stream<Arguments> pairs() {
    return Stream.of(
        pair(
            "Vegas without probes",
            () -> new VegasRule(20, 1000, 0, 1),
            () -> VegasLimit.newBuilder().probeMultiplier(NO_PROBE).build()),
        pair("Gradient2", () -> new Gradient2Rule(20, 20, 200), Gradient2Limit::newDefault),
        pair(
            "AIMD",
            () -> new AimdRule(20, 20, 200, Duration.ofSeconds(5)),
            () -> AIMDLimit.newBuilder().build()),
        pair(
            "AIMD from 1",
            () -> new AimdRule(20, 1, 200, Duration.ofSeconds(5)),
            () -> AIMDLimit.newBuilder().minLimit(1).build()));
  }

  private static Arguments pair(
      String name,
      Supplier<SampleRule> rule,
      Supplier<com.netflix.concurrency.limits.Limit> artifact) {
    Supplier<SampleRule> adapted = () -> new NetflixRule(name, artifact.get());
    return Arguments.of(name, rule, adapted);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pairs")
  void theyAgreeAtEverySample(
      String name, Supplier<SampleRule> rule, Supplier<SampleRule> artifact) {
    int moves = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      List<Integer> limits = limits(rule.get(), seed);
      assertThat(limits).as("%s, seed %d", name, seed).isEqualTo(limits(artifact.get(), seed));
      moves += (int) limits.stream().distinct().count();
    }
    assertThat(moves).as("the limit moved at all").isGreaterThan(10 * SEEDS);
  }

  /**
   * The difference: the artifact draws the time of its probes without a seed, so that two of them
   * that see the same samples come apart, and nothing can agree with both.
   */
  @Test
  void twoArtifactsOfVegasDisagreeOnceTheyProbe() {
    boolean disagreed = false;
    for (int seed = 0; seed < SEEDS && !disagreed; seed++) {
      disagreed =
          !limits(new NetflixRule("one", VegasLimit.newDefault()), seed)
              .equals(limits(new NetflixRule("another", VegasLimit.newDefault()), seed));
    }
    assertThat(disagreed).isTrue();
    assertThat(limits(new VegasRule(20, 1000, 30, 7), 1))
        .as("the rule probes by a seed")
        .isEqualTo(limits(new VegasRule(20, 1000, 30, 7), 1));
  }

  /** A window closes at the first sample that ends more than a second after the one before. */
  @Test
  void theWindowedLimitRunsInVirtualTime() {
    NetflixRule rule =
        new NetflixRule("windowed", WindowedLimit.newBuilder().build(Gradient2Limit.newDefault()));
    long origin = -5_000_000_000_000L;
    int moved = 0;
    for (int i = 0; i < 10_000; i++) {
      int before = rule.limit();
      rule.sample(origin + i * 10_000_000L, 100_000_000, 150, false);
      moved += rule.limit() == before ? 0 : 1;
    }
    assertThat(moved).as("changes in 100 s").isBetween(60, 100);
    assertThat(rule.limit()).as("0.8 a second").isBetween(95, 100);
  }

  @Test
  void theArtifactsAreInTheCatalogue() {
    for (ControllerDescriptor<?> descriptor : new NetflixPolicies().policies()) {
      assertThat(Policies.named(descriptor.name(), Map.of()).name()).isEqualTo(descriptor.name());
      assertThat(Policies.named(descriptor.name(), Map.of()).initialSize()).isEqualTo(20);
    }
  }
}
