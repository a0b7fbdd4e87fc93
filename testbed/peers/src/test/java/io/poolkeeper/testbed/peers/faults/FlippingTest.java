package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testkit.Shape;
import io.poolkeeper.testkit.Sizes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A size that never comes to rest on a plant that never changes. */
final class FlippingTest {

  private static final int HOUR = 3600;

  /**
   * 10 workers are enough for 1000 tasks a second; noise of 2 %. The hour after the first ones
   * counts; {@code -Dpoolkeeper.tests.days=7} makes the first ones seven times as many, a week.
   */
  @ParameterizedTest(name = "{0} after {1} hours: {2}")
  @CsvSource({
    "liberty-style,   24, flips",
    "throughput,      24, flips",
    "scale-adapter,   24, swings within a grid step",
    "dotnet-style,     2, swings within a grid step",
    "response-curve,   3, rests",
  })
  void onAPlateau(String name, int hours, String outcome) {
    Contestant contestant = Contestants.named(name);
    Plant plant = new Plant(200, Shape.limited(100, 10), 0.02, false);
    contestant.during(hours * HOUR * Integer.getInteger("poolkeeper.tests.days", 1), plant);
    Sizes sizes = contestant.during(HOUR, plant);
    assertThat(sizes.steadiness()).as("%s: %s", name, sizes).isEqualTo(outcome);
  }
}
