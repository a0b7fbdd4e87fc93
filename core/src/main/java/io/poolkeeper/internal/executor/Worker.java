package io.poolkeeper.internal.executor;

import io.poolkeeper.internal.meter.Padding;
import io.poolkeeper.spi.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a pool: takes tasks, runs them and measures them, until it has to leave.
 *
 * <p>It is busy from its start, and from when it gets a task, until it finds the queue empty. One
 * clock reading ends a task and starts the next: a task that waits when another ends starts at that
 * moment.
 *
 * <p>Its own work never ends it. All objects that it needs are made before its thread starts. If
 * measuring a task fails for lack of memory or because the clock throws, the task still runs and is
 * counted.
 */
final class Worker extends Padding implements Runnable {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final VarHandle COMPLETED;
  private static final VarHandle BEGUN;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      COMPLETED = lookup.findVarHandle(Worker.class, "completed", long.class);
      BEGUN = lookup.findVarHandle(Worker.class, "begun", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Nanoseconds between two samples of the queue: more samples would cost more than they are worth.
   */
  private static final long SAMPLE_INTERVAL = 10_000;

  /** Nanoseconds, 1 ms. */
  private static final long PAUSE_AFTER_FAILURE = 1_000_000;

  private final Workers workers;
  private final WorkQueue queue;
  private final PoolMeter meter;
  private final Ticker ticker;
  private final BusyTime busyTime = new BusyTime();
  private @Nullable Runnable first;
  private @Nullable Thread thread;

  /** Number of tasks that it began; starts at -1, because one call links the handle. */
  private volatile long begun = -1;

  /** Number of tasks that ended, one less than {@link #begun} while one runs. */
  private volatile long completed = -1;

  /** Whether its task is resident. */
  volatile boolean resident;

  // Used by its own thread.
  private long freeSince;
  private long sampledAt;
  private @Nullable Runnable body;
  private boolean innerFailed;

  // Guarded by the lock of the queue that it waits for.
  @Nullable Worker older;
  volatile boolean asleep;

  // Guarded by the lock of the workers.
  @Nullable Worker nextAlive;
  private long busySeen;
  private long busyAtReading;
  private long cpuSeen;
  private final Residence residence = new Residence();

  /**
   * @param first first task, or null
   */
  Worker(
      Workers workers, WorkQueue queue, PoolMeter meter, Ticker ticker, @Nullable Runnable first) {
    this.workers = workers;
    this.queue = queue;
    this.meter = meter;
    this.ticker = ticker;
    this.first = first;
    this.freeSince = ticker.nanoTime();
    this.sampledAt = freeSince - SAMPLE_INTERVAL;
    busyTime.started(freeSince);
    busyTime.ended(freeSince);
    begin();
    end();
    if (first != null) {
      begin(); // It counts as running from now on.
    }
  }

  /** Sets the thread, before it is started. */
  void thread(Thread thread) {
    this.thread = thread;
  }

  Thread thread() {
    return Objects.requireNonNull(thread);
  }

  @Override
  public void run() {
    awake();
    Runnable task = first;
    first = null;
    if (task != null) {
      perform(task);
    }
    boolean idleForLong = false;
    while (!leaves(idleForLong)) {
      idleForLong = false;
      task = poll();
      if (task == null) {
        long patience = workers.keepAlive();
        long began = System.nanoTime();
        task = await(patience);
        idleForLong = task == null && System.nanoTime() - began >= patience;
      }
      if (task != null) {
        begin();
        perform(task);
      }
    }
  }

  // A user's queue may throw anything, and waiting in it may find no memory.

  private boolean leaves(boolean idleForLong) {
    try {
      return workers.leave(this, idleForLong);
    } catch (Throwable e) {
      return false;
    }
  }

  private @Nullable Runnable poll() {
    try {
      return queue.poll();
    } catch (Throwable e) {
      return null;
    }
  }

  /** Waits for a task, and measures how long. */
  private @Nullable Runnable await(long patience) {
    long since = freeSince;
    busyTime.ended(since);
    Runnable task = null;
    try {
      task = queue.await(this, patience);
    } catch (Throwable e) {
      LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
    }
    awake();
    meter.queueWasEmpty(since, freeSince);
    return task;
  }

  private void awake() {
    freeSince = now();
    busyTime.started(freeSince);
  }

  private long now() {
    try {
      return ticker.nanoTime();
    } catch (Throwable e) { // A user's clock.
      return freeSince;
    }
  }

  private void begin() {
    BEGUN.setRelease(this, (long) BEGUN.get(this) + 1);
  }

  private void end() {
    COMPLETED.setRelease(this, (long) COMPLETED.get(this) + 1);
  }

  /** Runs a task and measures it. */
  private void perform(Runnable task) {
    long start = freeSince;
    long arrival = start;
    if (task instanceof Task timed) {
      arrival = timed.arrival();
      start = Math.max(arrival, start);
    }
    int queued = sample(start);
    workers.setInterrupt();
    body = Task.take(task);
    Outcome outcome = call(body);
    body = null;
    freeSince = now();
    if (outcome != Outcome.CANCELLED) {
      meter.ended(arrival, start, freeSince, outcome == Outcome.FAILED, queued);
    }
    end();
    if (resident) {
      workers.isFree(this);
    }
  }

  private int sample(long start) {
    if (start - sampledAt < SAMPLE_INTERVAL) {
      return PoolMeter.NOT_SAMPLED;
    }
    sampledAt = start;
    try {
      return queue.size();
    } catch (Throwable e) {
      return PoolMeter.NOT_SAMPLED;
    }
  }

  private Outcome call(Runnable body) {
    innerFailed = false;
    try {
      body.run();
    } catch (Throwable thrown) { // Errors as well: the worker must survive.
      report(thrown);
      return Outcome.FAILED;
    }
    // Tests for final classes, because a test for an interface takes longer than all else here.
    if (body instanceof SubmittedTask<?> submitted) {
      return submitted.outcome();
    }
    if (body instanceof AsyncTask<?> async) {
      return async.outcome();
    }
    return innerFailed ? Outcome.FAILED : Outcome.COMPLETED;
  }

  /** Records the failure of a task that the running one has wrapped. */
  void failed(Runnable inner) {
    innerFailed |= inner != body;
  }

  private static void report(Throwable thrown) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    } catch (Throwable ignored) { // The JVM also ignores exceptions of such a handler.
    }
  }

  static void clearInterrupt() {
    boolean ignored = Thread.interrupted();
  }

  /** Returns whether it must check whether to leave before it waits for a task. */
  boolean mayHaveToLeave() {
    return workers.mayHaveToLeave();
  }

  int poolSize() {
    return workers.count();
  }

  boolean inTask() {
    return begun != completed;
  }

  long completed() {
    return completed;
  }

  /** Takes a worker out of a list that {@link #older} links; returns the list. */
  static @Nullable Worker without(Worker worker, @Nullable Worker newest) {
    Worker younger = null;
    for (Worker each = newest; each != worker; each = each.older) {
      if (each == null) {
        return newest;
      }
      younger = each;
    }
    Worker older = worker.older;
    worker.older = null;
    if (younger == null) {
      return older;
    }
    younger.older = older;
    return newest;
  }

  /** Returns the busy time since the last call, nanoseconds. */
  long newlyBusy(long now) {
    // A task that started after the caller read the clock counts negatively for now.
    long newlyBusy = Math.max(0, busyTime.until(now) - busySeen);
    busySeen += newlyBusy;
    return newlyBusy;
  }

  /** Returns the CPU time since the last call, nanoseconds; 0 if it was idle since. */
  long newCpuTime() {
    long busyNow = busyTime.state();
    long before = cpuSeen;
    if (busyNow != busyAtReading || busyTime.busy()) {
      busyAtReading = busyNow;
      try {
        cpuSeen = Math.max(before, THREADS.getThreadCpuTime(thread().getId()));
      } catch (OutOfMemoryError e) {
        return 0; // Included in the next reading.
      }
    }
    return cpuSeen - before;
  }

  /** Returns the busy time since the last call, nanoseconds; for its own thread. */
  long busyUpToNow() {
    return newlyBusy(freeSince);
  }

  /** Determines at the end of a window whether the running task is resident. */
  void review(long now, long ended, long longest) {
    resident = residence.judge(inTask() ? begun : 0, now, ended, longest);
  }

  /** Returns the run time of its task so far, nanoseconds; 0 if it is resident. */
  long hangingFor() {
    return residence.hangingFor();
  }

  /** Declares its task resident. */
  void declareResident() {
    residence.declare();
    resident = inTask();
  }
}
