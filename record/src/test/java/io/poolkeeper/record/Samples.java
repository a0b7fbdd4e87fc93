package io.poolkeeper.record;

import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;

/** Windows to be recorded. */
final class Samples {

  /** Statistics of a sample of the tasks. */
  static final TimeStats TIMES = timed(21);

  private Samples() {}

  static TimeStats timed(long count) {
    return new TimeStats(count, 1234.5, 10, 20, 30, 40, 50, 60);
  }

  static Window busy(long start) {
    return Window.builder(start, start + 1_000, 4)
        .busy(3.25)
        .queue(1.5, 7)
        .arrivals(50)
        .completions(40)
        .failures(2)
        .rejections(8)
        .withinBound(39)
        .times(TIMES, TIMES, TIMES)
        .cpu(11, 12)
        .gc(13)
        .build();
  }

  /** A window in which nothing ended, on a machine that measures no CPU time. */
  static Window idle(long start) {
    return Window.builder(start, start + 1_000, 4).build();
  }
}
