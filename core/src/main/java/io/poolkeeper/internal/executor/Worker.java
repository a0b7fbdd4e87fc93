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
 * <p>It is busy from its birth, and from when it gets a task, until it finds the queue empty. A
 * reading of the clock that ends one thing begins the next: a task that is there when the one
 * before it has ended starts at that moment.
 *
 * <p>Nothing that it does for itself costs it its life. All that it needs was made before its
 * thread started; where measuring a task fails for want of memory, or the clock does, the task runs
 * all the same and is counted.
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

  /** Nanoseconds between two samples of the queue: more would cost more than they tell. */
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

  /** Tasks that it began; from -1, for a first time that links the handle. */
  private volatile long begun = -1;

  /** Tasks that have ended, one less than {@link #begun} while one runs. */
  private volatile long completed = -1;

  /** Whether its task has run for so long that the pool does without this worker. */
  volatile boolean resident;

  // For its own thread.
  private long freeSince;
  private long sampledAt;
  private @Nullable Runnable body;
  private boolean innerFailed;

  // Under the lock of the queue that it waits for.
  @Nullable Worker older;
  volatile boolean asleep;

  // Under the lock of the workers.
  @Nullable Worker nextAlive;
  private long busySeen;
  private long busyAtReading;
  private long cpuSeen;
  private final Residence residence = new Residence();

  /**
   * @param first task that it begins with, or null
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
      begin(); // From now on it counts as running.
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

  // The queue may be one of a user, which may throw anything; or there is no memory to wait in it.

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
    } catch (Throwable thrown) { // An Error too: it would cost the worker.
      report(thrown);
      return Outcome.FAILED;
    }
    // By final classes, as asking for an interface would take longer than all else here.
    if (body instanceof SubmittedTask<?> submitted) {
      return submitted.outcome();
    }
    if (body instanceof AsyncTask<?> async) {
      return async.outcome();
    }
    return innerFailed ? Outcome.FAILED : Outcome.COMPLETED;
  }

  /** Notes that a task failed that the running one has wrapped. */
  void failed(Runnable inner) {
    innerFailed |= inner != body;
  }

  private static void report(Throwable thrown) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    } catch (Throwable ignored) { // As the JVM ignores what such a handler throws.
    }
  }

  static void clearInterrupt() {
    boolean ignored = Thread.interrupted();
  }

  /** Whether it has to look whether it leaves, rather than wait for a task. */
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

  /** Nanoseconds that it was busy since the last call. */
  long newlyBusy(long now) {
    // A task that started after the caller read the clock counts less than nothing as yet.
    long newlyBusy = Math.max(0, busyTime.until(now) - busySeen);
    busySeen += newlyBusy;
    return newlyBusy;
  }

  /** Nanoseconds of CPU time since the last call; none if it has been idle since. */
  long newCpuTime() {
    long busyNow = busyTime.state();
    long before = cpuSeen;
    if (busyNow != busyAtReading || busyTime.busy()) {
      busyAtReading = busyNow;
      try {
        cpuSeen = Math.max(before, THREADS.getThreadCpuTime(thread().getId()));
      } catch (OutOfMemoryError e) {
        return 0; // It comes with the next reading.
      }
    }
    return cpuSeen - before;
  }

  /** Nanoseconds that it was busy since the last call, for its own thread. */
  long busyUpToNow() {
    return newlyBusy(freeSince);
  }

  /** Judges at the end of a window whether the running task is resident. */
  void review(long now, long ended, long longest) {
    resident = residence.judge(inTask() ? begun : 0, now, ended, longest);
  }

  /** Nanoseconds for which its task has run; 0 if it is resident. */
  long hangingFor() {
    return residence.hangingFor();
  }

  /** Declares its task resident. */
  void declareResident() {
    residence.declare();
    resident = inTask();
  }
}
