package io.poolkeeper.testbed.controllers.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Step by step, worked out by hand from the formulas of the class comments. */
final class SampleRulesTest {

  private static final long MILLI = 1_000_000;

  private static int after(SampleRule rule, double millis, int inFlight, boolean dropped) {
    rule.sample(0, Math.round(millis * MILLI), inFlight, dropped);
    return rule.limit();
  }

  /** f = 1 throughout: thresholds 1, 3 and 6. */
  @Test
  void vegas() {
    VegasRule rule = new VegasRule(20, 1000, 0, 1);
    List<Integer> limits = new ArrayList<>();
    limits.add(after(rule, 10, 20, false)); // the shortest time so far
    limits.add(after(rule, 10, 20, false)); // queue 0: + 6
    limits.add(after(rule, 11, 26, false)); // ceil(26 / 11) = 3: as it is
    limits.add(after(rule, 10.5, 26, false)); // ceil(26 * 0.0476) = 2: + 1
    limits.add(after(rule, 20, 27, false)); // ceil(13.5) = 14: - 1
    limits.add(after(rule, 20, 5, false)); // less than half in flight
    limits.add(after(rule, 20, 5, true)); // dropped: - 1
    limits.add(after(rule, 0, 25, true)); // no time, no sample
    limits.add(after(rule, 9, 25, false)); // a shorter time moves nothing
    limits.add(after(rule, 10, 25, false)); // ceil(2.5) = 3: as it is
    assertThat(limits).containsExactly(20, 26, 26, 27, 26, 26, 25, 25, 25, 25);
    assertThat(rule.reason()).isEqualTo("a queue of 3 behind 25 in flight, shortest time 9.000 ms");
  }

  /** From 100 on f = 2: + 12 at a queue of 2. */
  @Test
  void vegasStepsGrowWithTheLogarithm() {
    VegasRule rule = new VegasRule(100, 110, 0, 1);
    after(rule, 10, 100, false);
    assertThat(after(rule, 10.1, 100, false)).as("112 is above the maximum").isEqualTo(110);
    assertThat(after(rule, 20, 110, false)).isEqualTo(108);
  }

  /** Set anew after 0.5 to 1 times 2 * 20 samples; the next one of 30 ms has no queue then. */
  @Test
  void vegasForgetsTheShortestTime() {
    VegasRule rule = new VegasRule(20, 1000, 2, 1);
    after(rule, 10, 1, false);
    int samples = 1;
    while (!rule.reason().contains("shortest time 30.000 ms")) {
      after(rule, 30, 1, false);
      samples++;
    }
    assertThat(samples).isBetween(20, 40);
  }

  /**
   * A constant time: + 0.2 * 4 a sample. The eleventh of 300 ms makes the average 100 + 200 * 2 /
   * 601 = 100.6656, g = 0.503328, the limit 0.8 * 28 + 0.2 (0.503328 * 28 + 4) = 26.0186.
   */
  @Test
  void gradient2() {
    Gradient2Rule rule = new Gradient2Rule(20, 20, 200);
    List<Integer> limits = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      limits.add(after(rule, 100, 30, false));
    }
    assertThat(limits).containsExactly(20, 21, 22, 23, 24, 24, 25, 26, 27, 28);
    assertThat(after(rule, 300, 30, false)).isEqualTo(26);
    assertThat(rule.reason())
        .isEqualTo(
            "time 300.000 ms against a long average of 100.666 ms: gradient 0.50, limit 26.0");
    assertThat(after(rule, 100, 13, false)).as("13 of 26.02 are less than half").isEqualTo(26);
    assertThat(after(rule, 100, 14, false)).as("26.0186 + 0.8").isEqualTo(26);
    assertThat(after(rule, 100, 14, false)).isEqualTo(27);
  }

  @Test
  void aimd() {
    AimdRule rule = new AimdRule(20, 1, 22, Duration.ofSeconds(5));
    List<Integer> limits = new ArrayList<>();
    limits.add(after(rule, 100, 10, false)); // half of it in flight: + 1
    limits.add(after(rule, 100, 10, false)); // less than half
    limits.add(after(rule, 100, 21, true)); // 18.9
    limits.add(after(rule, 5000, 18, false)); // at the timeout: + 1
    limits.add(after(rule, 5001, 19, false)); // 17.1
    assertThat(limits).containsExactly(21, 21, 18, 19, 17);
    for (int i = 0; i < 9; i++) {
      after(rule, 100, 30, false);
    }
    assertThat(rule.limit()).as("the maximum").isEqualTo(22);
  }

  @Test
  void settingsAreCheckedTogether() {
    assertThatThrownBy(() -> new AimdRule(10, 20, 200, Duration.ofSeconds(1)))
        .hasMessage("initial must be >= minimum, but 10 < 20");
    assertThatThrownBy(() -> new Gradient2Rule(30, 20, 25))
        .hasMessage("maximum must be >= initial, but 25 < 30");
    assertThatThrownBy(() -> new VegasRule(20, 1000, -1, 1))
        .hasMessage("probe must be >= 0, but is -1");
  }
}
