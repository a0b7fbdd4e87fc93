package io.poolkeeper.testkit;

import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.time.Duration;

/**
 * Windows in which only what matters is said. Unless told otherwise a window is 10 s long and
 * begins at 0, its size is 1, all workers were busy, nothing waited, and nothing ended.
 */
public final class WindowBuilder {

  private long start;
  private long length = Duration.ofSeconds(10).toNanos();
  private int size = 1;
  private double busy = -1;
  private double queueMean;
  private int queueMax;
  private long completions;
  private long failures;
  private long rejections;
  private TimeStats response = TimeStats.EMPTY;

  private WindowBuilder() {}

  /** Begins a window of this size. */
  public static WindowBuilder ofSize(int size) {
    WindowBuilder builder = new WindowBuilder();
    builder.size = size;
    return builder;
  }

  /** A window in which nothing arrived and nothing ended. */
  public static Window idle(int size) {
    return ofSize(size).busy(0).build();
  }

  /**
   * Sets start and end; the length in nanoseconds may be zero or negative, as in a broken
   * recording.
   */
  public WindowBuilder between(long start, long end) {
    this.start = start;
    this.length = end - start;
    return this;
  }

  /** Sets the length. */
  public WindowBuilder lasting(Duration length) {
    this.length = length.toNanos();
    return this;
  }

  /** Mean number of busy workers; all of them unless it is said. */
  public WindowBuilder busy(double busy) {
    this.busy = busy;
    return this;
  }

  /** Waiting tasks, mean and most. */
  public WindowBuilder queue(double mean, int max) {
    this.queueMean = mean;
    this.queueMax = max;
    return this;
  }

  /** Tasks that ended normally. */
  public WindowBuilder completions(long completions) {
    this.completions = completions;
    return this;
  }

  /** Tasks that ended by throwing. */
  public WindowBuilder failures(long failures) {
    this.failures = failures;
    return this;
  }

  /** Tasks that were refused. */
  public WindowBuilder rejections(long rejections) {
    this.rejections = rejections;
    return this;
  }

  /** Every task took this long, in milliseconds. */
  public WindowBuilder response(double millis) {
    return response(millis, millis);
  }

  /** Response time in milliseconds: its mean, and all percentiles and the maximum as one. */
  public WindowBuilder response(double meanMillis, double p99Millis) {
    long high = Math.round(p99Millis * 1e6);
    response = new TimeStats(1, meanMillis * 1e6, high, high, high, high, high, high);
    return this;
  }

  /** The window; tasks arrived as they ended or were refused, and none waited. */
  public Window build() {
    TimeStats counted =
        new TimeStats(
            completions + failures,
            response.mean(),
            response.p50(),
            response.p90(),
            response.p95(),
            response.p99(),
            response.p999(),
            response.max());
    return Window.builder(start, start + length, size)
        .busy(busy < 0 ? size : busy)
        .queue(queueMean, queueMax)
        .arrivals(completions + failures + rejections)
        .completions(completions)
        .failures(failures)
        .rejections(rejections)
        .times(TimeStats.EMPTY, counted, counted)
        .build();
  }
}
