package io.tidepool.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.testbed.controllers.peers.SampleRule;
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

  /** A backend that ends 4 tasks a second, however many it has: 20 at a time take 5 s. */
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "netflix-gradient2, rises to its maximum",
    "gradient2-style,   rises to its maximum",
    "netflix-vegas,     rises",
    "vegas-style,       rises",
    "netflix-aimd,      stays",
    "aimd-style,        stays",
    "envoy-style,       stays",
    "throughput,        stays",
    "mean-latency,      stays",
    "p99-latency,       stays",
  })
  void anHourOfOverload(String name, String outcome) {
    Sizes sizes = Sizes.of(Contestants.named(name), new Plant(500, busy -> 4, 0, false), HOUR);
    assertThat(sizes.growth()).as("%s: %s", name, sizes).isEqualTo(outcome);
  }

  /**
   * The same hour, of which the second half counts: four tasks a second say so little that a larger
   * size has to be seen before it is known to be no better, but it must not be kept.
   */
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "netflix-gradient2, rises to its maximum",
    "gradient2-style,   rises to its maximum",
    "netflix-vegas,     rises",
    "vegas-style,       rises",
    "response-curve,    stays",
  })
  void theSecondHalfOfAnHourOfOverload(String name, String outcome) {
    Contestant contestant = Contestants.named(name);
    Plant plant = new Plant(500, busy -> 4, 0, false);
    Sizes.of(contestant, plant, HOUR / 2);
    Sizes sizes = Sizes.of(contestant, plant, HOUR / 2);
    assertThat(sizes.growth()).as("%s: %s", name, sizes).isEqualTo(outcome);
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
  })
  void anHourInWhichEveryTaskIsDropped(String name, String outcome) {
    Sizes sizes = Sizes.of(Contestants.named(name), new Plant(500, busy -> 4, 0, true), HOUR);
    assertThat(sizes.growth()).as("%s: %s", name, sizes).isEqualTo(outcome);
  }
}
