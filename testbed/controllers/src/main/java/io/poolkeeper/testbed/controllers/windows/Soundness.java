package io.poolkeeper.testbed.controllers.windows;

import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.time.Duration;
import java.util.Optional;

/**
 * Whether a window can be what a pool did. Published rules trust what they measure and keep it in
 * averages for ever; one window of a broken clock or recording would spoil them, so it is passed
 * over before they see it.
 */
public final class Soundness {

  private static final long LONGEST = Duration.ofDays(1).toNanos();
  private static final int LARGEST = 1_000_000;

  /** Tasks a second that no pool of {@value #LARGEST} workers ends. */
  private static final double FASTEST = 1e12;

  private Soundness() {}

  /** Returns, in words, what cannot be true of the window; empty if all of it can. */
  public static Optional<String> fault(Window window) {
    // Differences, because the origin of the clock means nothing.
    long length = window.end() - window.start();
    if (length <= 0 || length > LONGEST) {
      return Optional.of("its length is " + length + " ns");
    }
    if (window.size() < 1 || window.size() > LARGEST) {
      return Optional.of("its size is " + window.size());
    }
    if (!(window.busy() >= 0 && window.busy() <= LARGEST)) {
      return Optional.of("its mean of busy workers is " + window.busy());
    }
    if (!(window.queueMean() >= 0 && Double.isFinite(window.queueMean()))) {
      return Optional.of("its mean of waiting tasks is " + window.queueMean());
    }
    if (window.completions() < 0
        || window.failures() < 0
        || (window.completions() + (double) window.failures()) / window.seconds() > FASTEST) {
      return Optional.of(
          "it ended %d tasks and %d failed".formatted(window.completions(), window.failures()));
    }
    if (!sound(window.serviceTime()) || !sound(window.responseTime())) {
      return Optional.of("its mean service time is " + window.serviceTime().mean() + " ns");
    }
    return Optional.empty();
  }

  /** Tasks that ended, normally or not. */
  public static long ended(Window window) {
    return window.completions() + window.failures();
  }

  /** Whether tasks wait for a worker and none ended: all workers may be blocked. */
  public static boolean stalled(Window window) {
    return window.idle() && window.queueMean() > 0 && window.busy() >= window.size() - 1e-9;
  }

  /** Whether no task ran and none waited. */
  public static boolean empty(Window window) {
    return window.idle() && window.busy() == 0 && window.queueMean() == 0;
  }

  /**
   * CPU that the process used of what {@code cores} could give, from 0 up; NaN if it was not
   * measured.
   */
  public static double cpu(Window window, int cores) {
    return window.processCpu() < 0
        ? Double.NaN
        : window.processCpu() / (window.seconds() * 1e9 * cores);
  }

  private static boolean sound(TimeStats times) {
    return times.mean() >= 0 && Double.isFinite(times.mean()) && times.p50() >= 0;
  }
}
