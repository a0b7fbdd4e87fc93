package io.poolkeeper.testkit;

import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.util.LinkedHashMap;
import java.util.Map;

/** Windows as a broken clock, sensor or recording may give them, by what is wrong with them. */
final class Garbage {

  private static final long SECOND = 1_000_000_000L;

  private Garbage() {}

  static Map<String, Window> windows(int size) {
    Map<String, Window> windows = new LinkedHashMap<>();
    windows.put("no length", window(5, 5, size, size, 100, times(100, 5e6, 5_000_000)));
    windows.put("a negative length", window(SECOND, 0, size, size, 100, times(100, 5e6, 5)));
    windows.put("all zero", window(0, 0, 0, 0, 0, TimeStats.EMPTY));
    windows.put("NaN", window(0, SECOND, size, Double.NaN, 100, times(100, Double.NaN, 5)));
    windows.put(
        "infinite",
        window(
            0,
            SECOND,
            size,
            Double.POSITIVE_INFINITY,
            100,
            times(100, Double.POSITIVE_INFINITY, Long.MAX_VALUE)));
    windows.put("negative", window(0, SECOND, -size, -1, -100, times(-100, -5e6, -5)));
    windows.put(
        "huge",
        window(
            0,
            SECOND,
            Integer.MAX_VALUE,
            Double.MAX_VALUE,
            Long.MAX_VALUE,
            times(Long.MAX_VALUE, Double.MAX_VALUE, Long.MAX_VALUE)));
    windows.put(
        "a percentile without a mean",
        window(0, SECOND, size, size, 100, times(100, 0, 5_000_000)));
    windows.put("tasks that took no time", window(0, SECOND, size, size, 100, times(100, 0, 0)));
    return windows;
  }

  private static TimeStats times(long count, double mean, long value) {
    return new TimeStats(count, mean, value, value, value, value, value, value);
  }

  private static Window window(
      long start, long end, int size, double busy, long completions, TimeStats times) {
    return Window.builder(start, end, size)
        .busy(busy)
        .queue(busy, (int) busy)
        .completions(completions)
        .times(times, times, times)
        .cpu(completions, completions)
        .gc(completions)
        .build();
  }
}
