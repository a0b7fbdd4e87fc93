package io.tidepool;

/** Windows for tests, in which only what matters is said. */
public final class Windows {

  private Windows() {}

  /** A window of 10 s in which all {@code size} workers were busy. */
  public static Window busy(int size, long completions, double meanResponseMillis) {
    long nanos = Math.round(meanResponseMillis * 1e6);
    TimeStats response =
        new TimeStats(
            completions, meanResponseMillis * 1e6, nanos, nanos, nanos, nanos, nanos, nanos);
    return new Window(
        0,
        10_000_000_000L,
        size,
        size,
        0,
        0,
        completions,
        completions,
        0,
        0,
        completions,
        TimeStats.EMPTY,
        response,
        response,
        Window.NOT_MEASURED,
        Window.NOT_MEASURED,
        Window.NOT_MEASURED);
  }
}
