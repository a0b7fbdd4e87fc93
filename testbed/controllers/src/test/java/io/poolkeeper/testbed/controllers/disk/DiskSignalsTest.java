package io.poolkeeper.testbed.controllers.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.DiskStats;
import io.poolkeeper.DiskStats.BlockedSource;
import io.poolkeeper.Window;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The adapter on bytes of the workers, as published. */
final class DiskSignalsTest {

  private static final long SUBINTERVAL = 200_000_000;

  private static Window window(int number, int size, long bytes, int changes) {
    DiskStats disk =
        new DiskStats(bytes, 0, 0, 10, 0, BlockedSource.STATE_SAMPLES, changes, Optional.empty());
    return Window.builder(number * SUBINTERVAL, (number + 1) * SUBINTERVAL, size)
        .busy(size)
        .queue(5, 5)
        .disk(disk)
        .build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "scale-adapter",
        "scale-adapter-drop",
        "scale-adapter-average",
        "scale-adapter-calls"
      })
  void growsWhileMoreWorkersMoveMoreBytesThoughNoTaskEnds(String name) {
    Controller adapter = Controllers.named(name, Map.of("objective", "disk-throughput"));
    int size = 1;
    for (int number = 0; number < 60; number++) {
      size = adapter.decide(window(number, size, 1_000_000L * size, 0)).size();
    }
    assertThat(size).isGreaterThan(5);
  }

  @Test
  void subintervalInWhichWorkersCameOrLeftIsThrownAway() {
    Controller adapter = Controllers.named("scale-adapter", Map.of("objective", "disk-throughput"));
    Decision last = adapter.decide(window(0, 4, 1, 1));
    for (int number = 1; number < 8; number++) {
      last = adapter.decide(window(number, 4, 1, 1));
    }
    assertThat(last.size()).isEqualTo(4);
    assertThat(last.reason()).contains("no valid subinterval", "has no disk throughput");
    assertThat(adapter.decide(window(8, 4, 1, 0)).size()).as("the first valid one").isEqualTo(5);
  }

  @Test
  void meanTimeOfACallIsThatOfBusyWorkers() {
    assertThat(Signal.CALL_TIME.of(window(0, 4, 1, 0))).isEqualTo(4 * 0.2e9 / 10);
    Window without = Window.builder(0, SUBINTERVAL, 4).busy(4).build();
    assertThat(Signal.CALL_TIME.of(without)).isNaN();
    assertThat(Signal.DISK_THROUGHPUT.of(without)).isNaN();
  }

  @Test
  void otherObjectivesAreRefused() {
    assertThatThrownBy(
            () -> Controllers.named("scale-adapter", Map.of("objective", "disk-troughput")))
        .hasMessageContaining("did you mean 'disk-throughput'");
  }
}
