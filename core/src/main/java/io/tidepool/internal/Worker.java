package io.tidepool.internal;

import io.tidepool.internal.SubmittedTask.Outcome;
import io.tidepool.spi.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a pool, which measures the tasks that it runs: to the JDK's pool it is the task,
 * whichever it got out of the queue last.
 *
 * <p>It is busy from its birth, and from when it gets a task, until it finds the queue empty. A
 * reading of the clock that ends one thing begins the next: a task that is there when the one
 * before it has ended starts at that moment.
 */
final class Worker extends Padding implements Runnable {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final VarHandle IN_TASK;

  static {
    try {
      IN_TASK = MethodHandles.lookup().findVarHandle(Worker.class, "inTask", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final long UNKNOWN = Long.MIN_VALUE;

  private final Thread thread = Thread.currentThread();
  private final Ticker ticker;
  private final PoolMeter meter;
  private final Queue<Runnable> queue;
  private final BusyTime busyTime = new BusyTime();

  private volatile boolean inTask;

  // For the worker's own thread.
  private @Nullable Runnable next;
  private long freeSince;

  // For who reads the CPU time.
  private long busyAtReading;
  private long cpuAtReading;

  /** Made by its thread. */
  Worker(Ticker ticker, PoolMeter meter, Queue<Runnable> queue) {
    this.ticker = ticker;
    this.meter = meter;
    this.queue = queue;
    this.freeSince = ticker.nanoTime();
    busyTime.started(freeSince);
  }

  /** This worker as the one that will run {@code task}. */
  Runnable on(Runnable task) {
    next = task;
    return this;
  }

  /** Finds the queue empty; returns the time. */
  long idle() {
    long now = free();
    busyTime.ended(now);
    return now;
  }

  /** Waits no longer; returns the time. */
  long awake() {
    freeSince = ticker.nanoTime();
    busyTime.started(freeSince);
    return freeSince;
  }

  @Override
  public void run() {
    Runnable task = Objects.requireNonNull(next);
    next = null;
    perform(task);
  }

  /** Runs a task and measures it. Whatever the task throws costs no worker. */
  void perform(Runnable task) {
    Runnable body = PlainTask.unwrap(task);
    long arrival = arrival(task);
    boolean timed = arrival != PoolMeter.UNTIMED;
    long start = timed ? Math.max(arrival, free()) : 0;
    int queued = timed ? queue.size() : 0;
    IN_TASK.setRelease(this, true);
    Outcome outcome = call(body);
    IN_TASK.setRelease(this, false); // Before it is counted as ended, so as not to count twice.
    if (outcome == Outcome.CANCELLED) {
      freeSince = UNKNOWN;
      meter.cancelled();
    } else if (timed) {
      freeSince = ticker.nanoTime();
      meter.ended(arrival, start, freeSince, outcome == Outcome.FAILED, queued);
    } else {
      freeSince = UNKNOWN;
      if (outcome == Outcome.FAILED) {
        meter.untimedFailure();
      }
    }
  }

  private static long arrival(Runnable task) {
    if (task instanceof PlainTask plain) {
      return plain.arrival();
    }
    return task instanceof SubmittedTask<?> submitted ? submitted.arrival() : PoolMeter.UNTIMED;
  }

  private long free() {
    return freeSince == UNKNOWN ? ticker.nanoTime() : freeSince;
  }

  private static Outcome call(Runnable body) {
    try {
      body.run();
    } catch (Throwable thrown) { // An Error too: it would cost the worker.
      report(thrown);
      return Outcome.FAILED;
    }
    return body instanceof SubmittedTask<?> submitted ? submitted.outcome() : Outcome.COMPLETED;
  }

  private static void report(Throwable thrown) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    } catch (Throwable ignored) { // As the JVM ignores what such a handler throws.
    }
  }

  Thread thread() {
    return thread;
  }

  boolean inTask() {
    return inTask;
  }

  long busyUntil(long now) {
    return busyTime.until(now);
  }

  /** CPU time that the thread has used; of one that has been idle since the last call, as then. */
  long cpu() {
    long busyNow = busyTime.state();
    if (busyNow != busyAtReading || busyTime.busy()) {
      busyAtReading = busyNow;
      cpuAtReading = Math.max(0, THREADS.getThreadCpuTime(thread.getId()));
    }
    return cpuAtReading;
  }
}
