package io.poolkeeper.testbed.controllers.windows;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Window;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SoundnessTest {

  private static WindowBuilder window() {
    return WindowBuilder.ofSize(4).completions(100).response(5);
  }

  private static void faulty(WindowBuilder window, String fault) {
    assertThat(Soundness.fault(window.build())).hasValue(fault);
  }

  @Test
  void namesWhatCannotBeTrue() {
    assertThat(Soundness.fault(window().build())).isEmpty();
    assertThat(Soundness.fault(WindowBuilder.idle(1))).isEmpty();
    faulty(window().between(5, 5), "its length is 0 ns");
    faulty(window().lasting(Duration.ofDays(2)), "its length is 172800000000000 ns");
    faulty(WindowBuilder.ofSize(0), "its size is 0");
    faulty(window().busy(Double.NaN), "its mean of busy workers is NaN");
    faulty(window().queue(Double.NaN, 1), "its mean of waiting tasks is NaN");
    faulty(window().completions(-1), "it ended -1 tasks and 0 failed");
    faulty(window().completions(Long.MAX_VALUE), "it ended 9223372036854775807 tasks and 0 failed");
    faulty(window().response(Double.NaN, 5), "its mean service time is NaN ns");
  }

  @Test
  void aPoolStallsWhenAllAreBusyTasksWaitAndNoneEnds() {
    Window stalled = WindowBuilder.ofSize(4).queue(2, 3).build();
    assertThat(Soundness.stalled(stalled)).isTrue();
    assertThat(Soundness.stalled(WindowBuilder.ofSize(4).build())).as("nothing waits").isFalse();
    assertThat(Soundness.stalled(WindowBuilder.ofSize(4).queue(2, 3).busy(3).build()))
        .as("a worker is free")
        .isFalse();
    assertThat(Soundness.stalled(window().queue(2, 3).build())).as("tasks ended").isFalse();
    assertThat(Soundness.cpu(stalled, 4)).isNaN();
  }
}
