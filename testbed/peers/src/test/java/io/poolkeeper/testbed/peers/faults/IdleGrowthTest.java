package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testkit.Sizes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A size that grows though what there is is not used. */
final class IdleGrowthTest {

  /** One task at a time, which takes 10 ms. */
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "envoy-style,       rises to its maximum",
    "netflix-gradient2, stays",
    "netflix-vegas,     stays",
    "netflix-aimd,      stays",
    "throughput,        stays",
    "mean-latency,      stays",
    "p99-latency,       stays",
    "response-curve,    stays",
    "failsafe-style, stays",
    "incremental-steps, stays",
    "parabola-approximation, stays",
    "sql-anywhere-hybrid, stays",
    "half-and-half, stays",
  })
  void anHourOfOneUser(String name, String outcome) {
    Plant plant = new Plant(1, busy -> 100.0 * busy, 0, false);
    Sizes sizes = Contestants.named(name).during(3600, plant);
    assertThat(Contestant.growth(sizes)).as("%s: %s", name, sizes).isEqualTo(outcome);
  }
}
