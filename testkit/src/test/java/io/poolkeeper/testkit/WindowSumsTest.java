package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import org.junit.jupiter.api.Test;

final class WindowSumsTest {

  private static final Resizable POOL = Resizable.of("pool", new Bounds(1, 8), () -> 4, size -> {});

  private static Window.Builder window() {
    return Window.builder(0, 1_000_000_000, 4);
  }

  /** It arrived in a window that nobody heard of, runs through the next, and ends after it. */
  @Test
  void aTaskFromBeforeAnIdleWindowIsNoPartOfTheSums() {
    WindowSums sums = WindowSums.fromIdle();
    sums.onWindow(POOL, window().busy(1).build());
    sums.onWindow(POOL, window().completions(1).arrivals(0).build());
    sums.onWindow(POOL, window().queue(0.5, 1).arrivals(1).build());
    sums.onWindow(POOL, window().completions(1).build());
    sums.onWindow(POOL, window().build());
    assertThat(sums.windows()).isZero();
    sums.onWindow(POOL, window().arrivals(3).completions(1).build());
    assertThat(sums.present()).isEqualTo(2);
    assertThat(sums.ended()).isEqualTo(1);
  }
}
