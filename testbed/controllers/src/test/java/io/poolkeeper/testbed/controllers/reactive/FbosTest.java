package io.poolkeeper.testbed.controllers.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.poolkeeper.testbed.controllers.FakePool;
import io.poolkeeper.testbed.controllers.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class FbosTest {

  private static final long MILLIS = 1_000_000;

  private final Fbos policy = new Fbos(Fbos.Settings.PUBLISHED);
  private final FakePool pool = new FakePool(policy.initialSize());

  @Test
  void startsWithTwo() {
    assertThat(policy.initialSize()).isEqualTo(2);
    assertThat(policy.interval()).isEqualTo(1_000 * MILLIS);
  }

  @Test
  void growsToTheArrivalsOfTheLastSecondAtTheEndOfAPhaseWithWaits() {
    arrivals(7);
    assertThat(policy.elapsed(pool.after(1_000).with(7))).isEqualTo(2);
    assertThat(end(MILLIS)).as("half a phase").isEqualTo(2);
    assertThat(end(0)).isEqualTo(7);
    assertThat(policy.reason())
        .isEqualTo("the 2 tasks of a phase waited 1 ms; 7 arrived in the last interval");
  }

  @Test
  void countsOnlyTheArrivalsOfTheSecondThatPassed() {
    arrivals(7);
    policy.elapsed(pool.after(1_000).with(7));
    arrivals(4);
    policy.elapsed(pool.after(1_000).with(7));
    end(MILLIS);
    assertThat(end(MILLIS)).isEqualTo(4);
  }

  @Test
  void doesNotGrowWithoutWaits() {
    arrivals(7);
    policy.elapsed(pool.after(1_000).with(2));
    end(MILLIS - 1);
    assertThat(end(MILLIS - 1)).as("waits below a millisecond").isEqualTo(2);
    end(MILLIS);
    assertThat(end(0)).as("the next phase is counted anew").isEqualTo(7);
  }

  @Test
  void neverShrinksToTheFrequency() {
    arrivals(1);
    policy.elapsed(pool.after(1_000).follow(9).with(9));
    end(MILLIS);
    assertThat(end(MILLIS)).isEqualTo(9);
  }

  @Test
  void aDroppedTaskArrivesAndEndsNoJob() {
    arrivals(7);
    policy.elapsed(pool.after(1_000).with(7));
    end(MILLIS);
    assertThat(policy.ended(pool, MILLIS, 0, Outcome.DROPPED)).isEqualTo(2);
    assertThat(policy.ended(pool, 0, MILLIS, Outcome.FAILED)).isEqualTo(7);
  }

  @Test
  void idleWorkersLeaveAfterFourSecondsDownToTwo() {
    pool.follow(10).with(6);
    policy.elapsed(pool.after(1_000));
    assertThat(policy.elapsed(pool.after(3_999))).isEqualTo(10);
    assertThat(policy.elapsed(pool.after(1))).as("four were idle for 4 s").isEqualTo(6);
    assertThat(policy.reason()).isEqualTo("4 workers were idle for 4.0 s");
    policy.elapsed(pool.follow(6).with(0));
    assertThat(policy.elapsed(pool.after(4_000))).isEqualTo(2);
  }

  @Test
  void namesASettingOutOfItsRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fbos.Settings(0, 2, Duration.ofSeconds(1), Duration.ofSeconds(4)))
        .withMessage("least must be >= 1, but is 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fbos.Settings(2, 2, Duration.ZERO, Duration.ofSeconds(4)))
        .withMessage("second must be positive, but is PT0S");
  }

  private void arrivals(int number) {
    for (int i = 0; i < number; i++) {
      assertThat(policy.arrived(pool.with(2))).isEqualTo(pool.size());
    }
  }

  private int end(long wait) {
    return policy.ended(pool, wait, 500 * MILLIS, Outcome.COMPLETED);
  }
}
