package io.tidepool.internal;

import io.tidepool.Objective;
import io.tidepool.Window;
import io.tidepool.spi.EndedTasks;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/**
 * Collects what happens in a pool or at a limit, and makes windows of it.
 *
 * <p>Arrivals are derived, not counted: they are what has ended, was refused or withdrawn, runs or
 * waits now, less what had arrived before. So no counter is touched when a task is submitted. The
 * numbers are read against the way that a task goes: what has ended, then what runs, then what
 * waits. So a task that moves meanwhile is missed and the next window makes up for it; it is never
 * seen twice, which no window could make up for. The sum over windows is exact.
 */
abstract sealed class Meter permits LimitMeter {

  final long bound;
  final Stripes stripes;
  private final ProcessMeter process = new ProcessMeter();
  private final LongAdder rejections = new LongAdder();
  private final LongAdder withdrawals = new LongAdder();
  private long windowStart;
  private long ended;
  private long arrived;
  private long rejected;

  Meter(long now, Objective objective) {
    this.bound = objective.bound().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    this.windowStart = now;
    this.stripes = new Stripes(now);
  }

  /** A task was refused. */
  public final void rejected() {
    rejections.increment();
  }

  /** Tasks came and went without leaving a measurement: cancelled, drained, ignored. */
  public final void withdrawn(int tasks) {
    withdrawals.add(tasks);
  }

  /** Length of the window that ends at {@code now}, nanoseconds. */
  final long length(long now) {
    return now - windowStart;
  }

  /** Time-weighted mean of a level of which {@code spent} is the integral over the window. */
  final double mean(long spent, long length, int level) {
    return length > 0 ? (double) spent / length : level;
  }

  /**
   * Makes the window and begins the next.
   *
   * @param endedNow tasks that ended in it
   * @param present reads how many tasks run, and then how many wait
   */
  final Window window(
      long now,
      int size,
      double busy,
      double queueMean,
      int queueMax,
      long endedNow,
      IntSupplier present,
      long workerCpu,
      EndedTasks interval) {
    ended += endedNow;
    long rejectedInAll = rejections.sum();
    long arrivedInAll = ended + rejectedInAll + withdrawals.sum() + present.getAsInt();
    long arrivals = Math.max(0, arrivedInAll - arrived);
    EndedTasks.Times times = interval.close();
    process.advance();
    Window window =
        new Window(
            windowStart,
            now,
            size,
            busy,
            queueMean,
            queueMax,
            arrivals,
            endedNow - interval.failures(),
            interval.failures(),
            rejectedInAll - rejected,
            bound == Long.MAX_VALUE ? endedNow - interval.failures() : interval.withinBound(),
            times.queueWait(),
            times.serviceTime(),
            times.responseTime(),
            workerCpu,
            process.cpu(),
            process.gc());
    arrived += arrivals;
    rejected = rejectedInAll;
    windowStart = now;
    return window;
  }
}
