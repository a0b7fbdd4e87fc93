package io.poolkeeper.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LoopRehearsalTest {

  /** Failures in it are only logged, and would leave code unlinked. */
  @Test
  void comesToADecision() {
    assertThat(LoopRehearsal.run()).isTrue();
  }
}
