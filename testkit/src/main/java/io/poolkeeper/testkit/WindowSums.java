package io.poolkeeper.testkit;

import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;

/** Sums of the windows that a loop closes. Any thread may read them; one loop writes. */
public final class WindowSums implements ControlListener {

  private long arrivals;
  private volatile long windows;
  private volatile long completions;
  private volatile long failures;
  private volatile long rejections;
  private volatile long present;
  private volatile long longestService;
  private volatile boolean closed;
  private volatile boolean waitsForIdle;
  private volatile Window last = Window.builder(0, 1, 1).build();

  private WindowSums() {}

  /** Sums up the windows of a loop from now on. */
  public static WindowSums of(ControlLoop loop) {
    WindowSums sums = new WindowSums();
    loop.listen(sums);
    return sums;
  }

  /**
   * Waits for a window in which nothing ran, and sums up those after it. So no task ends in them
   * that arrived before, as one may where a host was called already.
   */
  public static WindowSums onceIdle(ControlLoop loop) {
    WindowSums sums = fromIdle();
    loop.listen(sums);
    Conditions.await(() -> "idle: " + sums, () -> !sums.waitsForIdle);
    return sums;
  }

  /** Sums that begin behind the first window in which nothing ran. */
  static WindowSums fromIdle() {
    WindowSums sums = new WindowSums();
    sums.waitsForIdle = true;
    return sums;
  }

  private static boolean isIdle(Window window) {
    return window.idle() && window.arrivals() == 0 && window.busy() == 0 && window.queueMax() == 0;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // By the thread of the loop alone.
  public void onWindow(Resizable pool, Window window) {
    if (waitsForIdle) {
      last = window;
      waitsForIdle = !isIdle(window);
      return;
    }
    arrivals += window.arrivals();
    completions += window.completions();
    failures += window.failures();
    rejections += window.rejections();
    present = arrivals - ended();
    longestService = Math.max(longestService, window.serviceTime().max());
    last = window;
    windows++;
  }

  @Override
  public void onClose(Resizable pool) {
    closed = true;
  }

  /** Windows that have closed. */
  public long windows() {
    return windows;
  }

  /** Tasks that completed. */
  public long completions() {
    return completions;
  }

  /** Tasks that failed. */
  public long failures() {
    return failures;
  }

  /** Tasks that were refused, or whose wait ended without a turn. */
  public long rejections() {
    return rejections;
  }

  /** Tasks that completed, failed or were refused. */
  public long ended() {
    return completions + failures + rejections;
  }

  /** Tasks that arrived and have not ended. */
  public long present() {
    return present;
  }

  /** Longest service time, nanoseconds; 0 before the first. */
  public long longestService() {
    return longestService;
  }

  /** The last window; one without tasks before the first. */
  public Window last() {
    return last;
  }

  /** Returns whether the loop has ended. */
  public boolean closed() {
    return closed;
  }

  @Override
  public String toString() {
    return present + " present after " + last;
  }
}
