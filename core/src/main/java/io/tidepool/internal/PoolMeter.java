package io.tidepool.internal;

import io.tidepool.Objective;
import io.tidepool.Window;
import io.tidepool.spi.EndedTasks;
import io.tidepool.spi.Ticker;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/**
 * What happens in a pool of threads.
 *
 * <p>Reading the clock costs as much as handing over an empty task does, so above {@value
 * #TIMED_PER_SECOND} tasks a second only a random sample is timed: one in two, four, ... {@value
 * #MOST_PER_TIMED}, by the rate of the window before. Counts and busy time stay exact. With a
 * goodput bound every task is timed, because those within it are counted.
 */
public final class PoolMeter extends Meter {

  /** Arrival of a task that is not timed. */
  public static final long UNTIMED = Long.MIN_VALUE;

  private static final int TIMED_PER_SECOND = 500_000;
  private static final int MOST_PER_TIMED = 64;

  /** A worker that waits for so long, 10 ms, shows that the stream of tasks has ebbed. */
  private static final long SLOW = 10_000_000;

  private final Ticker ticker;
  private final LongAdder cancellations = new LongAdder();
  private long endedBefore;
  private volatile int untimedMask;

  /**
   * @param ticker the clock of all that is measured
   * @param objective gives the bound within which completions count
   */
  public PoolMeter(Ticker ticker, Objective objective) {
    super(ticker.nanoTime(), objective);
    this.ticker = ticker;
  }

  /** A task arrives: the time, or {@link #UNTIMED}. */
  public long arrival() {
    int mask = untimedMask;
    return mask == 0 || (ThreadLocalRandom.current().nextInt() & mask) == 0
        ? ticker.nanoTime()
        : UNTIMED;
  }

  /**
   * A timed task has ended.
   *
   * @param queued tasks that waited when it started
   */
  void ended(long arrival, long start, long end, boolean failed, int queued) {
    Stripe stripe = stripes.enter(end);
    try {
      stripe.queue.sample(start, queued);
      stripe.interval.record(start - arrival, end - start, failed, bound);
    } finally {
      stripe.exit(); // A histogram that grows may find no memory.
    }
  }

  /** A task that was not timed has failed. */
  void untimedFailure() {
    Stripe stripe = stripes.enter(ticker.nanoTime());
    stripe.interval.untimedFailure();
    stripe.exit();
  }

  /** A worker found that its task had been cancelled before it began. */
  void cancelled() {
    cancellations.increment();
    withdrawn(1);
  }

  /** A worker waited for a task. */
  void queueWasEmpty(long since, long until) {
    Stripe stripe = stripes.enter(until);
    stripe.queue.sample(since, 0);
    stripe.queue.sample(until, 0);
    stripe.exit();
    if (untimedMask != 0 && until - since > SLOW) {
      untimedMask = 0;
    }
  }

  /**
   * Ends the window. One caller at a time.
   *
   * @param doneWith tasks that workers are done with, ever: ended, or cancelled before they began
   * @param present reads how many tasks run, and then how many wait
   */
  public Window closeWindow(
      long now, int size, int queued, long doneWith, Workers.Usage usage, IntSupplier present) {
    long length = length(now);
    Stripes.Collected collected = stripes.collect(now, queued);
    EndedTasks interval = collected.interval();
    long ended = doneWith - cancellations.sum() - endedBefore;
    // The JDK counts a task a moment after it was recorded here.
    ended = Math.max(ended, Math.max(interval.timed(), interval.failures()));
    endedBefore += ended;
    untimedMask = bound == Long.MAX_VALUE ? mask(ended, length) : 0;
    return window(
        now,
        size,
        mean(usage.busy(), length, usage.running()),
        collected.queue().mean(),
        collected.queue().max(),
        ended,
        present,
        usage.cpu(),
        interval);
  }

  /** One less than the smallest power of two that leaves few enough tasks to be timed. */
  private static int mask(long ended, long length) {
    double tooMany = ended / (length / 1e9) / TIMED_PER_SECOND;
    int perTimed = 1;
    while (perTimed < tooMany && perTimed < MOST_PER_TIMED) {
      perTimed *= 2;
    }
    return perTimed - 1;
  }
}
