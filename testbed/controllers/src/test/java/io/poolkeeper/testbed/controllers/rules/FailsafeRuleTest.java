package io.poolkeeper.testbed.controllers.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Worked out by hand from the formulas of the class comment, and compared with the source. */
final class FailsafeRuleTest {

  private static final long MILLI = 1_000_000;

  private long end;

  /** One sample of 50 equal times, 2 s after the one before. */
  private int window(FailsafeRule rule, int millis, int inFlight) {
    end += 2_000 * MILLI;
    return samples(rule, 50, millis, inFlight);
  }

  private int samples(FailsafeRule rule, int count, int millis, int inFlight) {
    for (int i = 0; i < count; i++) {
      rule.sample(end - millis * MILLI, millis * MILLI, inFlight, false);
    }
    return rule.limit();
  }

  /**
   * The median lets the third sample of 200 ms through: 133.33 ms smoothed, the baseline 9/11 * 100
   * + 2/11 * 133.33 = 106.06 ms, the queue ceil(32 * 0.2045) = 7. Then 155.56 ms against 115.06 ms:
   * ceil(31 * 0.2603) = 9.
   */
  @Test
  void theQueueMovesTheLimit() {
    FailsafeRule rule = new FailsafeRule(20, 1, 200);
    List<Integer> limits = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      limits.add(window(rule, 100, 10));
    }
    assertThat(limits).containsExactly(21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    assertThat(window(rule, 200, 10)).isEqualTo(31);
    assertThat(window(rule, 200, 10)).isEqualTo(32);
    assertThat(window(rule, 200, 10)).isEqualTo(31);
    assertThat(rule.reason())
        .isEqualTo(
            "the queue is long: a queue of 7, sample 133.333 ms against a baseline of 106.061 ms,"
                + " limit 31");
    assertThat(window(rule, 200, 10)).isEqualTo(30);
  }

  @Test
  void fiveTimesWhatIsInFlightIsTheMost() {
    FailsafeRule rule = new FailsafeRule(20, 1, 200);
    List<Integer> limits = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      limits.add(window(rule, 100, 3));
    }
    assertThat(limits).containsExactly(19, 18, 17, 16, 15, 15);
    assertThat(window(rule, 100, 4)).isEqualTo(16);
  }

  /** From 100 on a step is 2; the limit ends at 200. */
  @Test
  void stepsGrowWithTheLogarithm() {
    FailsafeRule rule = new FailsafeRule(197, 1, 200);
    assertThat(window(rule, 100, 100)).isEqualTo(199);
    assertThat(window(rule, 100, 100)).isEqualTo(200);
  }

  /**
   * The first needs 50 times; the next one more than 1 s, or twice the shortest time. Samples of
   * 100, 100, 900 and 900 ms are 366.67 ms against 188.89 ms in the third place, and 500 ms against
   * 266.67 ms in the fourth.
   */
  @Test
  void aSampleNeedsTimesAndTime() {
    FailsafeRule rule = new FailsafeRule(20, 1, 200);
    end = -5_000 * MILLI;
    assertThat(samples(rule, 49, 100, 20)).isEqualTo(20);
    rule.sample(end - 100 * MILLI, 100 * MILLI, 20, true);
    assertThat(rule.limit()).as("a dropped task is no time").isEqualTo(20);
    assertThat(samples(rule, 1, 100, 20)).isEqualTo(21);
    end += 1_000 * MILLI;
    assertThat(samples(rule, 60, 100, 20)).as("a second is not over").isEqualTo(21);
    end += 1;
    assertThat(samples(rule, 1, 100, 20)).isEqualTo(22);
    end += 1_000 * MILLI + 1;
    assertThat(samples(rule, 50, 900, 20)).as("a queue of 11").isEqualTo(21);
    end += 1_800 * MILLI;
    assertThat(samples(rule, 60, 900, 20)).as("twice 900 ms are not over").isEqualTo(21);
    end += 1;
    assertThat(samples(rule, 1, 900, 20)).as("a queue of 10").isEqualTo(20);
    rule.sample(end, 0, 20, false);
    assertThat(rule.limit()).as("no time, no sample").isEqualTo(20);
  }

  /**
   * A seeded sequence with four kinds of work, of which the limiter of failsafe-go 0.9.7 itself was
   * given the samples: its limit after every 250th of 6000 tasks.
   */
  @Test
  void theSourceComesToTheSameLimits() {
    FailsafeRule rule = new FailsafeRule(20, 1, 200);
    List<Integer> limits = new ArrayList<>();
    Set<String> causes = new TreeSet<>();
    long state = 7;
    for (int i = 1; i <= 6000; i++) {
      state = (state * 1_103_515_245L + 12_345) % 2_147_483_648L;
      long draw = state / 65_536;
      int phase = (i - 1) / 1500;
      int inFlight = (int) (rule.limit() - (phase == 1 ? 5 : draw % 2));
      int knee = phase == 3 ? 6 : 25;
      long alone = phase == 2 ? 60_000 : 20_000;
      long time = 1000 * (alone * Math.max(knee, inFlight) / knee * (100 + draw / 8 % 20) / 100);
      rule.sample(i * 25L * MILLI - time, time, inFlight, draw % 97 == 0);
      causes.add(rule.reason().replaceFirst(":.*", ""));
      if (i % 250 == 0) {
        limits.add(rule.limit());
      }
    }
    assertThat(limits)
        .containsExactly(
            24, 29, 30, 31, 30, 29, 34, 39, 40, 41, 45, 45, 41, 36, 33, 36, 37, 42, 39, 38, 42, 44,
            41, 43);
    assertThat(causes)
        .contains(
            "the queue is long",
            "the queue is short",
            "the queue is neither short nor long",
            "throughput falls with what is in flight",
            "times rise with what is in flight, throughput is steady");
  }

  @Test
  void settingsAreCheckedTogether() {
    assertThatThrownBy(() -> new FailsafeRule(20, 0, 200))
        .hasMessage("minimum must be >= 1, but is 0");
    assertThatThrownBy(() -> new FailsafeRule(20, 30, 200))
        .hasMessage("initial must be >= minimum, but 20 < 30");
    assertThatThrownBy(() -> new FailsafeRule(20, 1, 10))
        .hasMessage("maximum must be >= initial, but 10 < 20");
  }
}
