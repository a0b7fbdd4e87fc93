package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Windows in which no task waits, though many workers are busy. */
final class FreeWindowsTest {

  private static final long HALF_SECOND = TimeUnit.MILLISECONDS.toNanos(500);

  private final ResponseCurveController controller =
      new ResponseCurveController(Objective.throughput(), 0.03, 2);
  private long now;

  private void decide(int completions) {
    Window window =
        Window.builder(now, now + HALF_SECOND, 60)
            .busy(40)
            .arrivals(completions)
            .completions(completions)
            .build();
    now += HALF_SECOND;
    controller.decide(window);
  }

  /** Else nothing would be a surprise any more after some minutes without a queue. */
  @Test
  void theLevelIsFollowed() {
    for (int window = 0; window < 1200; window++) {
      decide(500 + window % 3);
    }
    assertThat(controller.state().drift().variance()).isLessThan(0.01);
  }
}
