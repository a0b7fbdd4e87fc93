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
 * The workers of a pool: starts them, lets them leave, and ends with the last of them.
 *
 * <p><b>Slots.</b> There are never more workers than the limit, but for those that have not left
 * yet after it fell. A slot is taken under the lock before a thread is made, and whatever goes
 * wrong then gives it back, which needs neither memory nor a clock. No thread factory, queue or
 * task of a user is called with the lock held.
 *
 * <p><b>Leaving.</b> A worker leaves when there are more than the limit, when it has been idle for
 * longer than the keep-alive time, when the pool is shut down and nothing waits, or when it is
 * stopped. One that leaves for idleness first gives up its slot and then looks whether a task has
 * come; who adds a task adds it first and then looks whether there is a worker. So one of the two
 * notices.
 *
 * <p><b>Residents.</b> The size counts workers that can take tasks: one whose task is {@linkplain
 * Residence resident} comes on top, as long as there are no more workers than the maximum of the
 * pool. Who is resident is judged at the end of each window, and over when the task ends.
 */
public final class Workers {

  /** States in their order. */
  private enum State {
    RUNNING,
    /** Runs the tasks that wait, takes no others. */
    SHUTDOWN,
    /** Runs nothing any more. */
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

  /** Threads of the workers, from before each starts: who submits a task asks without the lock. */
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private final LongestTask longestTask = new LongestTask();

  /**
   * @param meter measures the tasks; its clock is {@code ticker}
   * @param measureCpu whether CPU time is read, one system call a window and worker that ran
   * @param size workers to begin with at most, {@code maximum} or less
   * @param onTermination called when the last worker has left after shutdown, once, by the worker
   *     or by who shut down
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
   * @param first task that it begins with, without a place in the queue; null for none
   * @return false if no worker was started; the task is still the caller's then
   * @throws RuntimeException from the thread factory, or an error such as a lack of memory; the
   *     task is still the caller's then
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
      if (thread != null && enter(worker, thread)) { // NullAway cannot see into a user's class.
        thread.start();
        started = true;
      }
    } finally {
      if (!started) {
        giveBackSlot(worker);
        if (first != null && count == 0) {
          startForWaitingIfPossible(); // For tasks that others queued while the slot was taken.
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

  /** Takes up a worker whose thread is about to start, unless the pool was shut down meanwhile. */
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

  /** Starts workers for tasks that wait, as many as the limit has room for. */
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
    } catch (Throwable e) { // Again after the next window.
      return;
    }
  }

  /**
   * Starts a worker for a task that was added to the queue, if by now there is room for one: a
   * worker may have left since the caller looked, or the limit may have grown.
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

  /** Whether a worker may have to leave, so that it must not wait for tasks. */
  boolean mayHaveToLeave() {
    return count > limit
        || (state != State.RUNNING && (state != State.SHUTDOWN || queue.isEmpty()));
  }

  /**
   * Lets a worker leave that has no task, if it has to; it must end then.
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
        queue.wakeAll(); // One may wait for a task that this one has taken.
      }
    } catch (Throwable e) { // It has left all the same, and must end.
      return true;
    }
    return true;
  }

  /** Whether those that are left in {@link #count} can do without one more. */
  private boolean isDispensable(boolean idleForLong) {
    return count >= limit
        || state == State.STOPPED
        || ((idleForLong || state == State.SHUTDOWN) && queue.isEmpty());
  }

  // Size

  /** The size in force. */
  public int size() {
    return size;
  }

  /**
   * Changes the size. Workers start at once for tasks that wait; if one cannot be started the size
   * stays as it was.
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
    } catch (Throwable e) { // The size must not promise what is not there.
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
   * Judges at the end of a window which tasks are resident, and starts the workers that they make
   * room for, or that could not be started before.
   *
   * <p>In a hang tasks are resident that have run ten times as long as any that ended lately; where
   * none has ended, so that all may be as long, those that have run for a minute in a pool that was
   * made smaller. They are as many as leave room for one more worker.
   *
   * @param hangs whether no task has ended for so long, and others wait, that it makes a hang
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

  /** The task of a worker that was resident has ended. */
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

  /** Nanoseconds for which a worker waits for a task before it leaves. */
  public long keepAlive() {
    return keepAlive;
  }

  /** Changes the time after which idle workers leave; {@link Long#MAX_VALUE} for never. */
  public void keepAlive(long nanos) {
    keepAlive = nanos;
    queue.wakeAll();
  }

  // The end

  /** Takes no more tasks; those that wait are run. */
  public void shutdown() {
    end(State.SHUTDOWN);
    if (count == 0) {
      startForWaitingIfPossible();
    }
  }

  /** Runs no more tasks, and interrupts those that run. Returns those that waited. */
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

  /** Looks whether the pool has ended because a task was taken out of the queue. */
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

  /** Whether tasks are taken. */
  public boolean isRunning() {
    return state == State.RUNNING;
  }

  /** Whether all workers have left after the end. */
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

  /** Sets the interrupt flag of the thread as its next task may find it: only after a stop. */
  void setInterrupt() {
    boolean stopped = state.compareTo(State.STOPPED) >= 0;
    // A stop that comes between the two readings interrupts after it.
    if (!stopped && Thread.interrupted()) {
      stopped = state.compareTo(State.STOPPED) >= 0;
    }
    if (stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** A task failed on this thread that another task may have wrapped. */
  void failed(Runnable inner) {
    synchronized (lock) {
      alive.failed(Thread.currentThread(), inner);
    }
  }

  // Counts

  /** Workers now, those that are just starting among them. */
  public int count() {
    return count;
  }

  /** Most workers there ever were at the same time. */
  public int largestCount() {
    return largestCount;
  }

  /** Workers whose task is resident. */
  public int residents() {
    return residents;
  }

  /** Workers that began with a task which was never in the queue. */
  public long startedWithTask() {
    return startedWithTask;
  }

  /** Workers in a task now. */
  public int running() {
    synchronized (lock) {
      return alive.running();
    }
  }

  /** Tasks that workers are done with, those among them that were cancelled before they began. */
  public long completed() {
    synchronized (lock) {
      return alive.completed();
    }
  }

  /** The threads of the workers. */
  public List<Thread> threads() {
    synchronized (lock) {
      return alive.threads();
    }
  }

  /**
   * Sums over the workers since the last call, without those whose task is resident.
   *
   * @param busy nanoseconds spent in tasks
   * @param running workers in a task now
   * @param cpu nanoseconds of CPU, or {@link Window#NOT_MEASURED}
   */
  public record Usage(long busy, int running, long cpu) {}

  /** Sums up what the workers did since the last call. One caller at a time. */
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
