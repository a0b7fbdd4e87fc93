package io.poolkeeper.spi;

import io.poolkeeper.Objective;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.internal.meter.ProcessMeter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Sensor of a resource that a host manages, such as a connection pool. The host reports when a task
 * begins after a wait, ends or is refused, and supplies the number of waiting tasks.
 *
 * <pre>{@code
 * TaskMeter.Run run = meter.began(waitedNanos);
 * try {
 *   work();
 *   run.completed();
 * } finally {
 *   run.failed(); // Does nothing after completed().
 * }
 * }</pre>
 *
 * <p>Guarantees: every task is counted exactly once, and arrivals are the tasks that ended, run,
 * wait or were refused. Cost: each task costs one object, two clock readings and a lock of the
 * thread's stripe.
 */
public final class TaskMeter implements Sensor {

  private final Ticker ticker;
  private final Objective objective;
  private final long bound;
  private final IntSupplier size;
  private final IntSupplier waiting;
  private final ProcessMeter process = new ProcessMeter();
  private final Stripe[] stripes;
  private volatile long windowStart;
  private Totals before = new Totals();
  private long arrivedBefore;

  /**
   * Makes a meter.
   *
   * @param ticker the clock of the control loop
   * @param objective its percentile and its bound are measured
   * @param size reads the size in force
   * @param waiting reads the number of waiting tasks; 0 if the host does not know it
   */
  public TaskMeter(Ticker ticker, Objective objective, IntSupplier size, IntSupplier waiting) {
    this.ticker = ticker;
    this.objective = objective;
    this.bound = objective.bound().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    this.size = size;
    this.waiting = waiting;
    stripes = new Stripe[Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors())];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe(objective);
    }
    windowStart = ticker.nanoTime();
  }

  /** Makes a meter with the clock of the machine. */
  public TaskMeter(Objective objective, IntSupplier size, IntSupplier waiting) {
    this(Ticker.system(), objective, size, waiting);
  }

  /**
   * Records that a task began.
   *
   * @param waited from its arrival until now, nanoseconds; one below 0 counts as 0
   */
  public Run began(long waited) {
    Run run = new Run(ticker.nanoTime(), Math.max(0, waited));
    int waiters = waiting.getAsInt();
    Stripe stripe = enter();
    try {
      stripe.totals.running++;
      stripe.totals.runningSince += run.start;
      stripe.totals.began++;
      stripe.waited(run.waited, run.start - windowStart, waiters);
    } finally {
      stripe.lock.unlock();
    }
    return run;
  }

  /**
   * Records that a task was refused.
   *
   * @param waited from its arrival until now, nanoseconds; 0 if it was refused at once
   */
  public void refused(long waited) {
    long now = ticker.nanoTime();
    int waiters = waiting.getAsInt();
    Stripe stripe = enter();
    try {
      stripe.totals.refused++;
      stripe.waited(Math.max(0, waited), now - windowStart, waiters);
    } finally {
      stripe.lock.unlock();
    }
  }

  @Override
  public Window closeWindow(long now) {
    Totals totals = new Totals();
    EndedTasks ended = new EndedTasks(objective);
    double waitArea = 0;
    int queueMax = 0;
    int locked = 0; // A lock may find no memory to wait in; those before it must be released.
    try {
      // All at once, so that no task ends in one stripe before it began in another.
      for (; locked < stripes.length; locked++) {
        stripes[locked].lock.lock();
      }
      for (Stripe stripe : stripes) {
        totals.add(stripe.totals);
        ended.add(stripe.ended);
        stripe.ended.reset();
        waitArea += stripe.waitArea;
        queueMax = Math.max(queueMax, stripe.queueMax);
        stripe.waitArea = 0;
        stripe.queueMax = 0;
      }
    } finally {
      for (int i = 0; i < locked; i++) {
        stripes[i].lock.unlock();
      }
    }
    // After the totals: a task that leaves the queue meanwhile is counted in the next window, where
    // before them it would be counted twice. Without the locks, as the host may hold its own.
    int waiters = waiting.getAsInt();
    queueMax = Math.max(queueMax, waiters);
    long start = windowStart;
    double length = now - start;
    windowStart = now;
    long arrived = Math.max(arrivedBefore, totals.began + totals.refused + waiters);
    // Tasks that still wait have waited as long as others, or for half of the window on average.
    long waits = totals.began + totals.refused - before.began - before.refused;
    double waitedSoFar = waits > 0 ? Math.min(length / 2, waitArea / waits) : length / 2;
    EndedTasks.Times times = ended.close();
    process.advance();
    Window window =
        Window.builder(start, now, size.getAsInt())
            .busy(length > 0 ? busyTime(totals, start, now) / length : totals.running)
            .queue(length > 0 ? (waitArea + waiters * waitedSoFar) / length : waiters, queueMax)
            .arrivals(arrived - arrivedBefore)
            .completions(totals.completions - before.completions)
            .failures(totals.failures - before.failures)
            .rejections(totals.refused - before.refused)
            .withinBound(totals.withinBound - before.withinBound)
            .times(times.queueWait(), times.serviceTime(), times.responseTime())
            .cpu(Window.NOT_MEASURED, process.cpu())
            .gc(process.gc())
            .build();
    before = totals;
    arrivedBefore = arrived;
    return window;
  }

  private double busyTime(Totals totals, long start, long now) {
    long runningNow = totals.running * now - totals.runningSince;
    long runningThen = before.running * start - before.runningSince;
    return Math.max(0, runningNow - runningThen + (totals.busy - before.busy));
  }

  private Stripe enter() {
    Stripe stripe = stripes[(int) Thread.currentThread().getId() & (stripes.length - 1)];
    stripe.lock.lock();
    return stripe;
  }

  /** A running task. Its first outcome counts; later calls do nothing. */
  public final class Run {

    private final long start;
    private final long waited;
    private final AtomicBoolean over = new AtomicBoolean();

    private Run(long start, long waited) {
      this.start = start;
      this.waited = waited;
    }

    /** Returns the time when it began, by the clock of the meter. */
    public long start() {
      return start;
    }

    /** Records that the task ended normally. */
    public void completed() {
      end(false);
    }

    /** Records that the task ended by throwing. */
    public void failed() {
      end(true);
    }

    private void end(boolean failed) {
      if (!over.compareAndSet(false, true)) {
        return;
      }
      long service = Math.max(0, ticker.nanoTime() - start);
      Stripe stripe = enter();
      try {
        stripe.totals.ended(start, service, failed, waited + service <= bound);
        stripe.ended.record(waited, service, failed, bound);
      } finally {
        stripe.lock.unlock();
      }
    }
  }

  /**
   * Counts since the beginning. A stripe may hold negative counts: a task may end in another
   * stripe.
   */
  private static final class Totals {
    long running;
    long runningSince;
    long busy;
    long began;
    long completions;
    long withinBound;
    long failures;
    long refused;

    void ended(long start, long service, boolean failed, boolean inTime) {
      running--;
      runningSince -= start;
      busy += service;
      if (failed) {
        failures++;
      } else {
        completions++;
        withinBound += inTime ? 1 : 0;
      }
    }

    void add(Totals other) {
      running += other.running;
      runningSince += other.runningSince;
      busy += other.busy;
      began += other.began;
      completions += other.completions;
      withinBound += other.withinBound;
      failures += other.failures;
      refused += other.refused;
    }
  }

  /** Totals of the threads that share a lock. */
  private static final class Stripe {
    final ReentrantLock lock = new ReentrantLock();
    final Totals totals = new Totals();
    final EndedTasks ended;
    double waitArea;
    int queueMax;

    Stripe(Objective objective) {
      ended = new EndedTasks(objective);
    }

    /** Records the part of an ended wait that fell into this window. */
    void waited(long nanos, long sinceWindowStart, int waiters) {
      waitArea += Math.min(nanos, Math.max(0, sinceWindowStart));
      queueMax = Math.max(queueMax, waiters);
    }
  }
}
