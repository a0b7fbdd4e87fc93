package io.poolkeeper.internal.executor;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.internal.meter.ProcessMeter;
import io.poolkeeper.internal.meter.Stripe;
import io.poolkeeper.internal.meter.Stripes;
import io.poolkeeper.internal.meter.Tally;
import io.poolkeeper.spi.EndedTasks;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Measures the tasks of a pool of threads: arrivals, ends, waits and service times.
 *
 * <p><b>Counts.</b> Counts are exact even if a window is lost: each stripe counts from the
 * beginning, and a window holds the differences to the window before. The queue counts arrivals. A
 * task whose time cannot be recorded for lack of memory is still counted.
 */
public final class PoolMeter {

  /** Queue length that was not sampled. */
  static final int NOT_SAMPLED = -1;

  private final long bound;
  private final Stripes stripes;
  private final ProcessMeter process = new ProcessMeter();
  private long windowStart;

  /** Counts up to the last window. */
  private Tally before = new Tally();

  private long arrivedBefore;

  /**
   * @param now when the first window begins
   * @param objective gives the bound within which completions count
   */
  public PoolMeter(long now, Objective objective) {
    bound = objective.bound().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    stripes = new Stripes(now, objective);
    windowStart = now;
    stripes.enter(now).exit(); // Links the code while there is memory for it.
  }

  /** Records a refused task. */
  public void rejected() {
    Stripe stripe = stripes.enter(windowStart);
    stripe.tally.rejections++;
    stripe.exit();
  }

  /**
   * Records the end of a task. Throws nothing.
   *
   * @param queued tasks that waited when it started, or {@link #NOT_SAMPLED}
   */
  public void ended(long arrival, long start, long end, boolean failed, int queued) {
    Stripe stripe = stripes.enter(end);
    stripe.tally.ended(end - arrival, failed, bound);
    try {
      if (queued != NOT_SAMPLED) {
        stripe.queue.sample(start, queued);
      }
      stripe.interval.record(start - arrival, end - start, failed, bound);
    } catch (Throwable e) { // No memory for a larger histogram: counted, but not timed.
    } finally {
      stripe.exit();
    }
  }

  /** Records the wait of a worker for a task. */
  void queueWasEmpty(long since, long until) {
    Stripe stripe = stripes.enter(until);
    stripe.queue.sample(since, 0);
    stripe.queue.sample(until, 0);
    stripe.exit();
  }

  /**
   * Ends the window. One caller at a time.
   *
   * @param queued tasks that wait now
   * @param usage what the workers did since the last window
   * @param taken reads the number of tasks that the pool has accepted so far
   * @param submittedByWorkers counts the queued tasks that its workers submitted; called if nothing
   *     has ended
   */
  public Window closeWindow(
      long now,
      int size,
      int queued,
      Workers.Usage usage,
      LongSupplier taken,
      LongSupplier submittedByWorkers) {
    Stripes.Collected collected = stripes.collect(now, queued);
    Tally counts = collected.tally();
    // Read after the ended tasks, so that no task ends before it has arrived.
    long arrived = Math.max(arrivedBefore, taken.getAsLong() + counts.rejections);
    EndedTasks.Times times = collected.interval().close();
    process.advance();
    long length = now - windowStart;
    long ended = counts.completions + counts.failures - before.completions - before.failures;
    Window window =
        Window.builder(windowStart, now, size)
            .busy(length > 0 ? (double) usage.busy() / length : usage.running())
            .queue(collected.queue().mean(), collected.queue().max())
            .arrivals(arrived - arrivedBefore)
            .completions(counts.completions - before.completions)
            .failures(counts.failures - before.failures)
            .rejections(counts.rejections - before.rejections)
            .withinBound(counts.completions - counts.late - (before.completions - before.late))
            .times(times.queueWait(), times.serviceTime(), times.responseTime())
            .cpu(usage.cpu(), process.cpu())
            .gc(process.gc())
            .queuedByWorkers(ended > 0 ? Window.NOT_MEASURED : submittedByWorkers.getAsLong())
            .build();
    before = counts;
    arrivedBefore = arrived;
    windowStart = now;
    return window;
  }
}
