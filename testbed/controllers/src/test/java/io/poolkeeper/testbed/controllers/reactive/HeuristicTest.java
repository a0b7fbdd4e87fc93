package io.poolkeeper.testbed.controllers.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.controllers.FakePool;
import io.poolkeeper.testbed.controllers.Outcome;
import org.junit.jupiter.api.Test;

final class HeuristicTest {

  private final FakePool pool = new FakePool(2);

  @Test
  void growsByTwoWhenTheMeanWaitOfFiveChangesByMoreThanOnePercentEitherWay() {
    Heuristic policy = new Heuristic(Heuristic.Settings.PUBLISHED);
    assertThat(five(policy, 100_000)).as("nothing to compare with").isEqualTo(2);
    assertThat(five(policy, 101_000)).as("just 1 %").isEqualTo(2);
    assertThat(five(policy, 102_011)).isEqualTo(4);
    assertThat(policy.reason()).isEqualTo("mean wait of 5 tasks was 102.0 ms after 101.0 ms");
    assertThat(five(policy, 100_000)).isEqualTo(4);
    assertThat(five(policy, 0)).as("to none at all").isEqualTo(4);
    assertThat(five(policy, 0)).as("0 after 0").isEqualTo(2);
    assertThat(five(policy, 1)).as("from none at all").isEqualTo(4);
  }

  @Test
  void theVariantGrowsOnARiseAlone() {
    Heuristic policy = new Heuristic(Heuristic.Settings.RISING);
    assertThat(five(policy, 100_000)).isEqualTo(2);
    assertThat(five(policy, 50_000)).isEqualTo(2);
    assertThat(five(policy, 60_000)).isEqualTo(4);
  }

  @Test
  void droppedTasksDoNotCount() {
    Heuristic policy = new Heuristic(Heuristic.Settings.PUBLISHED);
    five(policy, 100_000);
    for (int i = 0; i < 5; i++) {
      assertThat(policy.ended(pool, 0, 0, Outcome.DROPPED)).isEqualTo(2);
    }
    assertThat(five(policy, 100_000)).isEqualTo(2);
  }

  private int five(Heuristic policy, long micros) {
    for (int i = 0; i < 4; i++) {
      assertThat(policy.ended(pool, micros * 1_000, 1, Outcome.COMPLETED)).isEqualTo(2);
    }
    return policy.ended(pool, micros * 1_000, 1, Outcome.FAILED);
  }
}
