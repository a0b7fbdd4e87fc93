package io.poolkeeper.internal.executor;

import io.poolkeeper.Window;
import io.poolkeeper.internal.executor.Lifecycle.State;
import io.poolkeeper.spi.Ticker;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
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

  static {
    Rehearsal.ofWorker();
  }

  private final Object lock = new Object();
  private final WorkQueue queue;
  private final ThreadFactory threadFactory;
  private final PoolMeter meter;
  private final Ticker ticker;
  private final boolean measureCpu;
  private final Runnable onTermination;

  // Written under the lock.
  private final LiveWorkers alive = new LiveWorkers();
  private final Lifecycle lifecycle = new Lifecycle(lock);
  private final WorkerLimit limit;
  private volatile int count;
  private volatile int largestCount;
  private volatile long startedWithTask;
  private volatile long keepAlive = Long.MAX_VALUE;

  /** Reason why the last window ended with waiting tasks and too few workers; null for none. */
  private @Nullable Throwable obstacle;

  /** Threads of the workers, added before they start; submitters read it without the lock. */
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

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
    this.limit = new WorkerLimit(alive, size, maximum);
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
    return start(first, false);
  }

  /**
   * @param needed whether it throws if the thread factory returns null
   */
  private boolean start(@Nullable Task first, boolean needed) {
    if (count >= limit.workers() || !takeSlot(first)) {
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
      } else if (thread == null && needed) {
        throw new IllegalStateException("the thread factory returned null");
      }
    } finally {
      if (!started) {
        giveBackSlot(worker);
        if (first != null && count == 0) {
          // For tasks that were queued while the slot was taken.
          Throwable unused = startForWaitingIfPossible();
        }
      }
    }
    return started;
  }

  private boolean takeSlot(@Nullable Task first) {
    synchronized (lock) {
      boolean takes = count < limit.workers() && maySeeTasks(first);
      if (takes) {
        count++;
      }
      return takes;
    }
  }

  private boolean maySeeTasks(@Nullable Task first) {
    State state = lifecycle.state();
    return state == State.RUNNING || (state == State.SHUTDOWN && first == null && !queue.isEmpty());
  }

  /** Registers a worker whose thread is about to start, unless the pool was shut down meanwhile. */
  private boolean enter(Worker worker, Thread thread) {
    worker.thread(thread);
    synchronized (lock) {
      State state = lifecycle.state();
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

  /**
   * Starts workers for the waiting tasks, up to the limit.
   *
   * @throws RuntimeException from the thread factory or if it returns null, or an error such as a
   *     lack of memory
   */
  public void startForWaiting() {
    int waiting = queue.size();
    while (waiting > 0 && start(null, true)) {
      waiting--;
    }
  }

  /** Returns the reason why workers are missing; null if none is. */
  private @Nullable Throwable startForWaitingIfPossible() {
    try {
      startForWaiting();
    } catch (Throwable e) { // Tried again after the next window.
      return e;
    }
    return null;
  }

  /**
   * Starts a worker for a queued task if there is room for one by now: since the caller checked, a
   * worker may have left or the limit may have grown.
   *
   * @throws RuntimeException from the thread factory, or an error such as a lack of memory, if
   *     there is no worker at all
   */
  public void ensureWorker() {
    if (count < limit.workers()) {
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
    return count > limit.workers() || hasEnded();
  }

  private boolean hasEnded() {
    State state = lifecycle.state();
    return state != State.RUNNING && (state != State.SHUTDOWN || queue.isEmpty());
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
      } else if (!isRunning()) {
        queue.wakeAll(); // A worker may wait for a task that this one has taken.
      }
    } catch (Throwable e) { // It has left anyway and must end.
      return true;
    }
    return true;
  }

  /** Returns whether the remaining {@link #count} workers suffice. */
  private boolean isDispensable(boolean idleForLong) {
    State state = lifecycle.state();
    return count >= limit.workers()
        || state == State.STOPPED
        || ((idleForLong || state == State.SHUTDOWN) && queue.isEmpty());
  }

  // Size

  /** Returns the size in force. */
  public int size() {
    return limit.size();
  }

  /**
   * Changes the size, and starts workers for waiting tasks at once. If a worker cannot be started,
   * the size stays.
   *
   * @throws RuntimeException from the thread factory or if it returns null, or an error such as a
   *     lack of memory
   */
  public void resize(int size) {
    int before;
    synchronized (lock) {
      before = limit.size();
      limit.resize(size);
    }
    wakeSurplus();
    try {
      startForWaiting();
    } catch (Throwable e) { // The size must not promise missing workers.
      synchronized (lock) {
        if (limit.size() == size) {
          limit.resize(Math.min(before, size));
        }
      }
      wakeSurplus();
      throw e;
    }
  }

  private void wakeSurplus() {
    if (count > limit.workers()) {
      queue.wakeAll();
    }
  }

  /**
   * Determines at the end of a window which tasks are resident, and starts the workers for which
   * they make room or that could not be started before.
   *
   * @param hangs whether the pool hangs: tasks wait, and none has ended for a long time
   * @return whether tasks became resident because of the hang
   */
  public boolean review(Window window, boolean hangs) {
    int declared;
    synchronized (lock) {
      declared = limit.review(window, hangs, count);
    }
    wakeSurplus();
    obstacle = startForWaitingIfPossible();
    return declared > 0;
  }

  /**
   * Returns why the last {@link #review} could not start all workers; null if it could. For its
   * caller alone.
   */
  public @Nullable Throwable obstacle() {
    return obstacle;
  }

  /** Records that a resident task has ended. */
  void isFree(Worker worker) {
    synchronized (lock) {
      limit.free(worker);
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
      Throwable unused = startForWaitingIfPossible();
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
      lifecycle.advance(end);
      terminated = terminateIfDone();
    }
    if (terminated) {
      onTermination.run();
    }
    queue.wakeAll();
  }

  /** Checks whether the removal of a task from the queue has ended the pool. */
  public void tasksWereRemoved() {
    if (lifecycle.state() == State.SHUTDOWN) {
      end(State.SHUTDOWN);
    }
  }

  private boolean terminateIfDone() {
    State state = lifecycle.state();
    boolean done =
        count == 0 && (state == State.STOPPED || (state == State.SHUTDOWN && queue.isEmpty()));
    if (done) {
      lifecycle.terminate();
    }
    return done;
  }

  /** Returns whether tasks are accepted. */
  public boolean isRunning() {
    return lifecycle.state() == State.RUNNING;
  }

  /** Returns whether all workers have left after the end. */
  public boolean isTerminated() {
    return lifecycle.state() == State.TERMINATED;
  }

  /** Waits until all workers have left; false if that takes longer than {@code nanos}. */
  public boolean awaitTermination(long nanos) throws InterruptedException {
    return lifecycle.awaitTermination(nanos);
  }

  /** Sets the interrupt flag for the next task of the thread: set only after a stop. */
  void setInterrupt() {
    lifecycle.setInterrupt();
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
    return limit.residents();
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
    return "[%s, size = %d of %d..%d, pool size = %d, active threads = %d, residents = %d,"
            .formatted(lifecycle, size(), minimum, limit.maximum(), count, running(), residents())
        + " queued tasks = %d, completed tasks = %d]".formatted(queue.size(), completed());
  }
}
