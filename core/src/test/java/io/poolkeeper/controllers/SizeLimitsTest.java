package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bounds and pace of a pool, from its windows alone. */
final class SizeLimitsTest {

  private static SizeLimits after(SizeLimits limits, int requested, int size) {
    return limits.afterRequest(requested).afterWindow(size, 0.5);
  }

  @Test
  void poolThatIsAtTheSizeAtOnceGrowsInfinitelyFast() {
    SizeLimits limits = after(after(SizeLimits.UNKNOWN, 10, 10), 64, 64);
    assertThat(limits.growth()).isInfinite();
    assertThat(limits.ceiling()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aBoundIsNoPace() {
    // 54 to 64 in a window, which may be a slow start, and then no further.
    SizeLimits limits = after(after(SizeLimits.UNKNOWN, 54, 54), 76, 64);
    assertThat(limits.growth()).isInfinite();
    limits = after(limits, 76, 64);
    assertThat(limits.growth()).isInfinite();
    assertThat(limits.ceiling()).isEqualTo(64);
  }

  @Test
  void poolThatGrowsWindowByWindowShowsItsPace() {
    SizeLimits limits = after(after(SizeLimits.UNKNOWN, 4, 4), 64, 15);
    limits = after(limits, 64, 29);
    assertThat(limits.growth()).isEqualTo((29 - 15) / 0.5);
    limits = after(limits, 64, 42);
    assertThat(limits.growth()).isEqualTo((42 - 29) / 0.5);
    // The last step is shorter than the pace would allow.
    limits = after(after(limits, 46, 46), 64, 64);
    assertThat(limits.growth()).isEqualTo((42 - 29) / 0.5);
  }

  @Test
  void poolThatNoLongerGrowsHasABound() {
    SizeLimits limits = after(after(after(SizeLimits.UNKNOWN, 4, 4), 64, 15), 64, 29);
    limits = after(limits, 64, 29);
    assertThat(limits.growth()).isInfinite();
    assertThat(limits.ceiling()).isEqualTo(29);
  }
}
