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
    return new Window(
        start, start + 1_000, 4, 3.25, 1.5, 7, 50, 40, 2, 8, 39, TIMES, TIMES, TIMES, 11, 12, 13);
  }

  /** A window in which nothing ended, on a machine that measures no CPU time. */
  static Window idle(long start) {
    return new Window(
        start,
        start + 1_000,
        4,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        TimeStats.EMPTY,
        TimeStats.EMPTY,
        TimeStats.EMPTY,
        Window.NOT_MEASURED,
        Window.NOT_MEASURED,
        Window.NOT_MEASURED);
  }
}
