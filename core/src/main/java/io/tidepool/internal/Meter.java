package io.tidepool.internal;

import io.tidepool.Objective;
import io.tidepool.Window;
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
public final class Meter {

  private final long bound;
  private final Stripes stripes;
  private final ProcessMeter process = new ProcessMeter();
  private final LongAdder rejections = new LongAdder();
  private final LongAdder withdrawals = new LongAdder();
  private long windowStart;
  private long ended;
  private long arrived;
  private long rejected;

  /**
   * @param now when the first window begins
   * @param objective gives the bound within which completions count
   */
  public Meter(long now, Objective objective) {
    this.bound = objective.bound().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    this.windowStart = now;
    this.stripes = new Stripes(now);
  }

  /**
   * A task of a pool has ended.
   *
   * @param queued tasks that waited when it started
   */
  public void taskEnded(long arrival, long start, long end, boolean failed, int queued) {
    Stripes.Stripe stripe = stripes.enter(end);
    stripe.interval.record(start - arrival, end - start, failed, bound);
    stripe.queue.sample(start, queued);
    stripe.exit();
  }

  /**
   * A permit of a limit has come back.
   *
   * @param waiting who waited for a permit when it came back
   * @param held permits in use just before
   */
  public void permitReturned(
      long asked, long granted, long end, boolean failed, int waiting, int held) {
    Stripes.Stripe stripe = stripes.enter(end);
    stripe.interval.record(granted - asked, end - granted, failed, bound);
    stripe.queue.sample(end, waiting);
    stripe.busy.sample(end, held);
    stripe.exit();
  }

  /** A task was refused. */
  public void rejected() {
    rejections.increment();
  }

  /** Tasks came and went without leaving a measurement: cancelled, drained, ignored. */
  public void withdrawn(int tasks) {
    withdrawals.add(tasks);
  }

  /**
   * Ends the window of a pool whose workers are known. One caller at a time.
   *
   * @param present reads how many tasks run, and then how many wait
   */
  public Window closeWindow(
      long now, int size, int queued, Workers.Usage usage, IntSupplier present) {
    long length = now - windowStart;
    double busy = length > 0 ? (double) usage.busy() / length : usage.running();
    Stripes.Collected collected = stripes.collect(now, queued, usage.running());
    return window(now, size, present, busy, usage.cpu(), collected);
  }

  /**
   * Ends the window of a limit. One caller at a time.
   *
   * @param present reads how many permits are held, and then how many wait
   */
  public Window closeWindow(long now, int size, int waiting, int held, IntSupplier present) {
    Stripes.Collected collected = stripes.collect(now, waiting, held);
    return window(now, size, present, collected.busy().mean(), Window.NOT_MEASURED, collected);
  }

  private Window window(
      long now,
      int size,
      IntSupplier present,
      double busy,
      long workerCpu,
      Stripes.Collected collected) {
    Interval interval = collected.interval();
    long endedNow = interval.count();
    ended += endedNow;
    long rejectedInAll = rejections.sum();
    long arrivedInAll = ended + rejectedInAll + withdrawals.sum() + present.getAsInt();
    long arrivals = Math.max(0, arrivedInAll - arrived);
    Window window =
        new Window(
            windowStart,
            now,
            size,
            busy,
            collected.queue().mean(),
            collected.queue().max(),
            arrivals,
            endedNow - interval.failures,
            interval.failures,
            rejectedInAll - rejected,
            interval.withinBound,
            interval.queueWait.stats(),
            interval.serviceTime.stats(),
            interval.responseTime.stats(),
            workerCpu,
            process.cpu(),
            process.gc());
    arrived += arrivals;
    rejected = rejectedInAll;
    windowStart = now;
    return window;
  }
}
