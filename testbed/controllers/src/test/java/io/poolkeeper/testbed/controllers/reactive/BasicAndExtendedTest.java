package io.poolkeeper.testbed.controllers.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.controllers.FakePool;
import org.junit.jupiter.api.Test;

final class BasicAndExtendedTest {

  private final BasicAndExtended policy = new BasicAndExtended(2, 2);
  private final FakePool pool = new FakePool(4);

  @Test
  void theBasicPoolGrowsWhenItIsBusyTheExtendedOneOnlyWhenBothAre() {
    assertThat(policy.initialSize()).isEqualTo(4);
    assertThat(policy.arrived(pool.with(2))).as("one other task").isEqualTo(4);
    assertThat(policy.arrived(pool.with(3))).as("basic 3, extended 2").isEqualTo(5);
    assertThat(policy.reason()).isEqualTo("the 2 workers of the basic pool are busy");
    assertThat(policy.arrived(pool.follow(5).with(3))).as("basic has room").isEqualTo(5);
    assertThat(policy.arrived(pool.with(6))).as("basic 4, extended 3").isEqualTo(7);
    assertThat(policy.reason())
        .isEqualTo("the 3 workers of the basic pool and the 2 of the extended one are busy");
  }

  @Test
  void atTheBoundOfThePoolTheBasicPartGrowsIntoTheExtendedOne() {
    for (int i = 0; i < 10; i++) {
      policy.arrived(pool.with(99));
    }
    assertThat(policy.arrived(pool.with(4))).as("all four are basic").isEqualTo(4);
    assertThat(policy.arrived(pool.with(5))).isEqualTo(6);
  }
}
