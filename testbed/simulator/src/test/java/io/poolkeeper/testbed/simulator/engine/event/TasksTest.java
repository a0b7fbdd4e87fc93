package io.poolkeeper.testbed.simulator.engine.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class TasksTest {

  @Test
  void numbersOfEndedTasksAreUsedAgain() {
    Tasks tasks = new Tasks(1_000);
    int first = tasks.take();
    int second = tasks.take();
    tasks.giveBack(first);
    assertThat(tasks.take()).isEqualTo(first).isNotEqualTo(second);
    assertThat(tasks.live()).isEqualTo(2);
  }

  @Test
  void moreThanMemoryHoldsIsSaid() {
    Tasks tasks = new Tasks(100);
    for (int i = 0; i < 100; i++) {
      tasks.take();
    }
    assertThatThrownBy(tasks::take)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("more than 100")
        .hasMessageContaining("no queue has a bound");
  }
}
