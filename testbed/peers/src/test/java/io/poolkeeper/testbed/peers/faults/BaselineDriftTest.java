package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testkit.Sizes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A long overload: the baseline with which a limiter compares drifts up until the overload looks
 * normal, and the limit rises.
 */
final class BaselineDriftTest {

  private static final int HOUR = 3600;

  /** 20 + 0.8 a sample: the 225th makes 200, though every one was dropped after 5 s. */
  @ParameterizedTest
  @ValueSource(strings = {"netflix-gradient2", "gradient2-style"})
  void aConstantTimeOfFiveSecondsLeadsToTheMaximum(String name) {
    SampleRule rule = Contestants.rule(name);
    for (int sample = 0; sample < 224; sample++) {
      rule.sample(0, 5_000_000_000L, 200, true);
    }
    assertThat(rule.limit()).isEqualTo(199);
    rule.sample(0, 5_000_000_000L, 200, true);
    assertThat(rule.limit()).isEqualTo(200);
  }

  /**
   * A backend that ends 4 tasks a second, however many it has: 20 at a time take 5 s. What rises is
   * up there in the second half of the hour still.
   */
  @ParameterizedTest(name = "{0} from minute {1}: {2}")
  @CsvSource({
    "netflix-gradient2, 30, rises to its maximum",
    "gradient2-style,   30, rises to its maximum",
    "netflix-vegas,     30, rises",
    "vegas-style,       30, rises",
    "netflix-aimd,       0, stays",
    "aimd-style,         0, stays",
    "envoy-style,        0, stays",
    "throughput,         0, stays",
    "mean-latency,       0, stays",
    "p99-latency,        0, stays",
    "failsafe-style, 0, stays",
    "incremental-steps, 0, stays",
    "parabola-approximation, 0, rises to its maximum",
    "sql-anywhere-hybrid, 0, stays",
    "half-and-half, 0, stays",
  })
  void anHourOfOverload(String name, int minute, String outcome) {
    Contestant contestant = Contestants.named(name);
    Plant plant = new Plant(500, busy -> 4, 0, false);
    contestant.during(minute * 60, plant);
    Sizes sizes = contestant.during(HOUR - minute * 60, plant);
    assertThat(Contestant.growth(sizes)).as("%s: %s", name, sizes).isEqualTo(outcome);
  }

  /**
   * The same hour with the response-curve controller. Four tasks a second say so little that it has
   * to see larger sizes before it knows that they are no better; but then it rests within a grid
   * step, far from the maximum.
   */
  @Test
  void theResponseCurveRestsThroughAnHourOfOverload() {
    Contestant contestant = Contestants.named("response-curve");
    Plant plant = new Plant(500, busy -> 4, 0, false);
    contestant.during(HOUR / 2, plant);
    Sizes sizes = contestant.during(HOUR / 2, plant);
    assertThat(sizes.steadiness()).as("%s", sizes).isEqualTo("rests");
    assertThat(sizes.largest()).as("%s", sizes).isLessThan(50);
  }

  /** The same backend, and nobody waits long enough for an answer. */
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "netflix-gradient2, rises to its maximum",
    "gradient2-style,   rises to its maximum",
    "netflix-aimd,      stays",
    "envoy-style,       stays",
    "throughput,        stays",
    "mean-latency,      stays",
    "p99-latency,       stays",
    "response-curve,    stays",
    "failsafe-style, stays",
    "incremental-steps, stays",
    "parabola-approximation, rises to its maximum",
    "sql-anywhere-hybrid, stays",
    "half-and-half, stays",
  })
  void anHourInWhichEveryTaskIsDropped(String name, String outcome) {
    Sizes sizes = Contestants.named(name).during(HOUR, new Plant(500, busy -> 4, 0, true));
    assertThat(Contestant.growth(sizes)).as("%s: %s", name, sizes).isEqualTo(outcome);
  }
}
