package io.poolkeeper.testbed.controllers.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.controllers.FakePool;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.reactive.LingOptimum.Settings;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class LingOptimumTest {

  private final FakePool pool = new FakePool(1);

  @Test
  void keepsTheSizeUntilItHasSeenALoad() {
    assertThat(new LingOptimum(Settings.STANDARD).elapsed(pool)).isEqualTo(1);
  }

  /** Loads 2, 5 and 9 for 50, 45 and 5 % of the time, busy and waiting alike. */
  @Test
  void asksForTheQuantileThatTheCostsGive() {
    assertThat(sizeAt(0.05)).as("95 % of the time").isEqualTo(5);
    assertThat(sizeAt(0.049)).isEqualTo(9);
    assertThat(sizeAt(0.5)).isEqualTo(2);
    assertThat(sizeAt(1)).as("nothing is worth holding, but a pool has a worker").isEqualTo(1);
  }

  private int sizeAt(double holding) {
    LingOptimum policy = policy(holding, 1);
    FakePool pool = new FakePool(1);
    policy.arrived(pool.with(2));
    policy.arrived(pool.after(500).with(5));
    policy.arrived(pool.after(450).with(9));
    return policy.elapsed(pool.after(50));
  }

  @Test
  void noSizeCostsLessThanTheOneItAsksFor() {
    SplittableRandom random = new SplittableRandom(3);
    for (int trial = 0; trial < 200; trial++) {
      LingOptimum policy = policy(random.nextDouble(0.01, 1), 0.9);
      FakePool pool = new FakePool(1);
      for (int i = 0; i < 50; i++) {
        policy.arrived(pool.with(1 + random.nextInt(100)).after(random.nextInt(100)));
      }
      int size = policy.elapsed(pool);
      for (int other = 1; other < 120; other++) {
        assertThat(policy.expectedCost(other))
            .isGreaterThanOrEqualTo(policy.expectedCost(size) - 1e-9);
      }
    }
  }

  @Test
  void whatIsOldCountsLess() {
    LingOptimum policy = policy(0.5, 0.5);
    policy.arrived(pool.with(8));
    assertThat(policy.elapsed(pool.after(1_000))).isEqualTo(8);
    policy.ended(pool.with(2), 0, 0, Outcome.COMPLETED);
    assertThat(policy.elapsed(pool.after(1_000))).isEqualTo(2);
    assertThat(policy.expectedCost(0)).isCloseTo((2.0 / 3 * 2 + 1.0 / 3 * 8), within(1e-9));
    assertThat(policy.reason())
        .isEqualTo("at most 2 tasks were there 66.7 % of the time; expected cost 3.00");
  }

  @Test
  void aLoadBeyondAllMeasureIsCountedAsTheMost() {
    LingOptimum policy = policy(0.05, 0.9);
    policy.arrived(pool.with(1_000_000));
    assertThat(policy.elapsed(pool.after(1_000))).isEqualTo(LingOptimum.MOST);
  }

  @Test
  void aWorkerCannotCostMoreToHoldThanToCreate() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy(1.5, 1))
        .withMessage("holding must be above 0.0 and at most 1.0, but is 1.5");
  }

  private static LingOptimum policy(double holding, double memory) {
    return new LingOptimum(new Settings(1, holding, Duration.ofSeconds(1), memory));
  }
}
