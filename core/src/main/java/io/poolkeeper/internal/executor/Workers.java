package io.poolkeeper.internal.executor;

import io.poolkeeper.Window;
import io.poolkeeper.spi.Ticker;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a pool: starts them, lets them leave, and terminates with the last one.
 *
 * <p><b>Slots.</b> There are never more workers than the limit, except those that have not left yet
 * after it fell. A slot is taken under the lock before a thread is created. If that fails, the slot
 * is returned, which needs neither memory nor a clock. No code of a user (thread factory, queue,
 * task) is called with the lock held.
 *
 * <p><b>Leaving.</b> A worker leaves when there are more than the limit, when it has been idle for
 * longer than the keep-alive time, when the pool is shut down and nothing waits, or when it is
 * stopped. A worker that leaves because it is idle first gives up its slot and then checks for a
 * task; a thread that adds a task first adds it and then checks for a worker. So at least one of
 * them notices the other.
 *
 * <p><b>Residents.</b> The size counts the workers that can take tasks. A worker whose task is
 * {@linkplain Residence resident} is not counted, as long as there are no more workers than the
 * maximum of the pool. Residence is determined at the end of each window and ends with the task.
 */
public final class Workers {

  /** States in their order. */
  private enum State {
    RUNNING,
    /** Runs the waiting tasks, accepts no others. */
    SHUTDOWN,
    /** Runs no more tasks. */
    STOPPED,
    TERMINATED
  }

  static {
    Rehearsal.ofWorker();
  }

  private final Object lock = new Object();
  private final WorkQueue queue;
  private final ThreadFactory threadFactory;
  private final PoolMeter meter;
  private final Ticker ticker;
  private final boolean measureCpu;
  private final int maximum;
  private final Runnable onTermination;

  // Written under the lock.
  private volatile State state = State.RUNNING;
  private volatile int size;
  private volatile int limit;
  private volatile int count;
  private volatile int residents;
  private volatile int largestCount;
  private volatile long startedWithTask;
  private volatile long keepAlive = Long.MAX_VALUE;
  private final LiveWorkers alive = new LiveWorkers();

  /** Threads of the workers, added before they start; submitters read it without the lock. */
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private final LongestTask longestTask = new LongestTask();

  /**
   * @param meter measures the tasks; its clock is {@code ticker}
   * @param measureCpu whether CPU time is read, one system call a window and worker that ran
   * @param size first limit of workers, {@code maximum} or less
   * @param onTermination called once when the last worker has left after shutdown, by that worker
   *     or by the thread that shut down
   */
  public Workers(
      WorkQueue queue,
      ThreadFactory threadFactory,
      PoolMeter meter,
      Ticker ticker,
      boolean measureCpu,
      int size,
      int maximum,
      Runnable onTermination) {
    this.queue = queue;
    this.threadFactory = threadFactory;
    this.meter = meter;
    this.ticker = ticker;
    this.measureCpu = measureCpu && ManagementFactory.getThreadMXBean().isThreadCpuTimeSupported();
    this.size = size;
    this.limit = size;
    this.maximum = maximum;
    this.onTermination = onTermination;
  }

  // Starting

  /**
   * Starts a worker unless there are as many as the limit.
   *
   * @param first first task of the worker, which is never queued; null for none
   * @return false if no worker was started; the caller then keeps the task
   * @throws RuntimeException from the thread factory, or an error such as a lack of memory; the
   *     caller then keeps the task
   */
  public boolean start(@Nullable Task first) {
    if (count >= limit || !takeSlot(first)) {
      return false;
    }
    Worker worker = null;
    boolean started = false;
    try {
      worker = new Worker(this, queue, meter, ticker, first);
      Thread thread = threadFactory.newThread(worker);
      if (thread != null && enter(worker, thread)) { // A user's factory may return null.
        thread.start();
        started = true;
      }
    } finally {
      if (!started) {
        giveBackSlot(worker);
        if (first != null && count == 0) {
          startForWaitingIfPossible(); // For tasks that were queued while the slot was taken.
        }
      }
    }
    return started;
  }

  private boolean takeSlot(@Nullable Task first) {
    synchronized (lock) {
      boolean takes = count < limit && maySeeTasks(first);
      if (takes) {
        count++;
      }
      return takes;
    }
  }

  private boolean maySeeTasks(@Nullable Task first) {
    return state == State.RUNNING || (state == State.SHUTDOWN && first == null && !queue.isEmpty());
  }

  /** Registers a worker whose thread is about to start, unless the pool was shut down meanwhile. */
  private boolean enter(Worker worker, Thread thread) {
    worker.thread(thread);
    synchronized (lock) {
      if (state != State.RUNNING && (state != State.SHUTDOWN || worker.inTask())) {
        return false;
      }
      threads.add(thread);
      alive.add(worker);
      largestCount = Math.max(largestCount, count);
      startedWithTask += worker.inTask() ? 1 : 0;
      return true;
    }
  }

  private void giveBackSlot(@Nullable Worker worker) {
    boolean terminated;
    synchronized (lock) {
      if (worker != null && alive.remove(worker)) {
        threads.remove(worker.thread());
        startedWithTask -= worker.inTask() ? 1 : 0;
      }
      count--;
      terminated = terminateIfDone();
    }
    if (terminated) {
      onTermination.run();
    }
  }

  /** Marks a task that is about to be queued if a worker of this pool submits it. */
  public void noteSubmitter(Task task) {
    if (threads.contains(Thread.currentThread())) {
      task.submittedByWorker();
    }
  }

  /** Starts workers for the waiting tasks, up to the limit. */
  public void startForWaiting() {
    int waiting = queue.size();
    while (waiting > 0 && start(null)) {
      waiting--;
    }
  }

  private int declareResident() {
    int surplus = count - limit;
    if (longestTask.measured()) {
      return alive.declareResident(Residence.TIMES_LONGER * longestTask.nanos(), surplus + 1);
    }
    return surplus > 0 ? alive.declareResident(Residence.LONG_AMONG_MANY, surplus + 1) : 0;
  }

  private void startForWaitingIfPossible() {
    try {
      startForWaiting();
    } catch (Throwable e) { // Tried again after the next window.
      return;
    }
  }

  /**
   * Starts a worker for a queued task if there is room for one by now: since the caller checked, a
   * worker may have left or the limit may have grown.
   *
   * @throws RuntimeException from the thread factory, or an error such as a lack of memory, if
   *     there is no worker at all
   */
  public void ensureWorker() {
    if (count < limit) {
      try {
        start(null);
      } catch (Throwable e) {
        if (count == 0) {
          throw e;
        }
      }
    }
  }

  // Leaving

  /** Returns whether a worker may have to leave and therefore must not wait for tasks. */
  boolean mayHaveToLeave() {
    return count > limit
        || (state != State.RUNNING && (state != State.SHUTDOWN || queue.isEmpty()));
  }

  /**
   * Lets a worker without a task leave if it has to; the worker must end then.
   *
   * @param idleForLong whether it was idle for the keep-alive time
   */
  boolean leave(Worker worker, boolean idleForLong) {
    if (!idleForLong && !mayHaveToLeave()) {
      return false;
    }
    boolean terminated;
    synchronized (lock) {
      boolean leaves = false;
      count--;
      try {
        leaves = isDispensable(idleForLong);
      } finally {
        count += leaves ? 0 : 1;
      }
      if (!leaves) {
        return false;
      }
      threads.remove(worker.thread());
      alive.removeForGood(worker, measureCpu);
      terminated = terminateIfDone();
    }
    try {
      if (terminated) {
        onTermination.run();
      } else if (state != State.RUNNING) {
        queue.wakeAll(); // A worker may wait for a task that this one has taken.
      }
    } catch (Throwable e) { // It has left anyway and must end.
      return true;
    }
    return true;
  }

  /** Returns whether the remaining {@link #count} workers suffice. */
  private boolean isDispensable(boolean idleForLong) {
    return count >= limit
        || state == State.STOPPED
        || ((idleForLong || state == State.SHUTDOWN) && queue.isEmpty());
  }

  // Size

  /** Returns the size in force. */
  public int size() {
    return size;
  }

  /**
   * Changes the size, and starts workers for waiting tasks at once. If a worker cannot be started,
   * the size stays.
   *
   * @throws RuntimeException from the thread factory, or an error such as a lack of memory
   */
  public void resize(int size) {
    int before;
    synchronized (lock) {
      before = this.size;
      this.size = size;
      updateLimit();
    }
    wakeSurplus();
    try {
      startForWaiting();
    } catch (Throwable e) { // The size must not promise missing workers.
      synchronized (lock) {
        if (this.size == size) {
          this.size = Math.min(before, size);
          updateLimit();
        }
      }
      wakeSurplus();
      throw e;
    }
  }

  private void updateLimit() {
    limit = Math.max(size, Math.min(maximum, size + residents));
  }

  private void wakeSurplus() {
    if (count > limit) {
      queue.wakeAll();
    }
  }

  /**
   * Determines at the end of a window which tasks are resident, and starts the workers for which
   * they make room or that could not be started before.
   *
   * <p>In a hang, tasks become resident that have run ten times as long as any that ended lately.
   * If no task has ever ended, they are tasks that have run for a minute in a pool that was made
   * smaller. As many become resident as one more worker needs.
   *
   * @param hangs whether the pool hangs: tasks wait, and none has ended for a long time
   * @return whether tasks became resident because of the hang
   */
  public boolean review(Window window, boolean hangs) {
    long ended = window.completions() + window.failures();
    long longest = window.serviceTime().max();
    int declared = 0;
    synchronized (lock) {
      longestTask.add(ended, longest);
      residents = alive.review(window.end(), ended, longest);
      if (hangs) {
        updateLimit();
        declared = declareResident();
        residents += declared;
      }
      updateLimit();
    }
    wakeSurplus();
    startForWaitingIfPossible();
    return declared > 0;
  }

  /** Records that a resident task has ended. */
  void isFree(Worker worker) {
    synchronized (lock) {
      if (worker.resident) {
        worker.resident = false;
        residents--;
        updateLimit();
      }
    }
    wakeSurplus();
  }

  /** Returns the time after which an idle worker leaves, nanoseconds. */
  public long keepAlive() {
    return keepAlive;
  }

  /** Changes the time after which idle workers leave; {@link Long#MAX_VALUE} for never. */
  public void keepAlive(long nanos) {
    keepAlive = nanos;
    queue.wakeAll();
  }

  // The end

  /** Accepts no more tasks; waiting tasks still run. */
  public void shutdown() {
    end(State.SHUTDOWN);
    if (count == 0) {
      startForWaitingIfPossible();
    }
  }

  /** Runs no more tasks and interrupts running ones. Returns the waiting tasks. */
  public List<Runnable> stop() {
    end(State.STOPPED);
    synchronized (lock) {
      alive.interrupt();
    }
    return queue.drain();
  }

  private void end(State end) {
    boolean terminated;
    synchronized (lock) {
      if (state.compareTo(end) < 0) {
        state = end;
      }
      terminated = terminateIfDone();
    }
    if (terminated) {
      onTermination.run();
    }
    queue.wakeAll();
  }

  /** Checks whether the removal of a task from the queue has ended the pool. */
  public void tasksWereRemoved() {
    if (state == State.SHUTDOWN) {
      end(State.SHUTDOWN);
    }
  }

  private boolean terminateIfDone() {
    boolean done =
        count == 0 && (state == State.STOPPED || (state == State.SHUTDOWN && queue.isEmpty()));
    if (done) {
      state = State.TERMINATED;
      lock.notifyAll();
    }
    return done;
  }

  /** Returns whether tasks are accepted. */
  public boolean isRunning() {
    return state == State.RUNNING;
  }

  /** Returns whether all workers have left after the end. */
  public boolean isTerminated() {
    return state == State.TERMINATED;
  }

  /** Waits until all workers have left; false if that takes longer than {@code nanos}. */
  public boolean awaitTermination(long nanos) throws InterruptedException {
    long began = System.nanoTime();
    synchronized (lock) {
      long left = nanos;
      while (state != State.TERMINATED && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(lock, left);
        left = nanos - (System.nanoTime() - began);
      }
      return state == State.TERMINATED;
    }
  }

  /** Sets the interrupt flag for the next task of the thread: set only after a stop. */
  void setInterrupt() {
    boolean stopped = state.compareTo(State.STOPPED) >= 0;
    // A stop between the two readings interrupts afterwards.
    if (!stopped && Thread.interrupted()) {
      stopped = state.compareTo(State.STOPPED) >= 0;
    }
    if (stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Records the failure of a task on this thread that another task may have wrapped. */
  void failed(Runnable inner) {
    synchronized (lock) {
      alive.failed(Thread.currentThread(), inner);
    }
  }

  // Counts

  /** Returns the number of workers, those that are starting included. */
  public int count() {
    return count;
  }

  /** Returns the largest number of workers so far. */
  public int largestCount() {
    return largestCount;
  }

  /** Returns the number of workers whose task is resident. */
  public int residents() {
    return residents;
  }

  /** Returns the number of workers started with a task that was never queued. */
  public long startedWithTask() {
    return startedWithTask;
  }

  /** Returns the number of busy workers. */
  public int running() {
    synchronized (lock) {
      return alive.running();
    }
  }

  /** Returns the number of tasks that ended, including those cancelled before they began. */
  public long completed() {
    synchronized (lock) {
      return alive.completed();
    }
  }

  /** Returns the threads of the workers. */
  public List<Thread> threads() {
    synchronized (lock) {
      return alive.threads();
    }
  }

  /**
   * Sums over the workers since the last call, without those whose task is resident.
   *
   * @param busy nanoseconds spent in tasks
   * @param running number of busy workers
   * @param cpu nanoseconds of CPU, or {@link Window#NOT_MEASURED}
   */
  public record Usage(long busy, int running, long cpu) {}

  /** Returns the usage since the last call. One caller at a time. */
  public Usage usage(long now) {
    synchronized (lock) {
      return alive.usage(now, measureCpu);
    }
  }

  /**
   * Describes the state.
   *
   * @param minimum smallest size that the pool may be given
   */
  public String describe(int minimum) {
    String inWords =
        switch (state) {
          case RUNNING -> "Running";
          case SHUTDOWN, STOPPED -> "Shutting down";
          case TERMINATED -> "Terminated";
        };
    return "[%s, size = %d of %d..%d, pool size = %d, active threads = %d, residents = %d,"
            .formatted(inWords, size, minimum, maximum, count, running(), residents)
        + " queued tasks = %d, completed tasks = %d]".formatted(queue.size(), completed());
  }
}
