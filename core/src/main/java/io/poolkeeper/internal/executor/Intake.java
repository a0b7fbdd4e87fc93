package io.poolkeeper.internal.executor;

import io.poolkeeper.spi.Ticker;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The way of a task into a pool: to a new worker, or to the queue. A task that is queued while the
 * pool is shut down or has no worker is taken back.
 */
public final class Intake {

  private final WorkQueue queue;
  private final Workers workers;
  private final Refusals refusals;
  private final Ticker ticker;

  /** Tasks that were queued and then refused because the pool was shut down meanwhile. */
  private final AtomicLong takenBack = new AtomicLong();

  /**
   * @param ticker clock of the arrivals
   */
  public Intake(WorkQueue queue, Workers workers, Refusals refusals, Ticker ticker) {
    this.queue = queue;
    this.workers = workers;
    this.refusals = refusals;
    this.ticker = ticker;
  }

  /**
   * Takes in a task; false if the pool is shut down or the queue is full.
   *
   * @throws RuntimeException from the thread factory, or an error such as a lack of memory, if
   *     there is no worker at all
   */
  public boolean take(Runnable command) {
    Task task =
        new Task(Objects.requireNonNull(command, "command must not be null"), ticker.nanoTime());
    boolean taken = workers.isRunning() && (begin(task) || enqueue(task));
    if (taken) {
      refusals.taken(command);
    }
    return taken;
  }

  /** Starts a worker with the task; false if the task must wait for another worker. */
  private boolean begin(Task task) {
    try {
      return workers.start(task);
    } catch (Throwable e) {
      if (workers.count() == 0) {
        throw e;
      }
      return false;
    }
  }

  private boolean enqueue(Task task) {
    workers.noteSubmitter(task);
    if (!queue.offer(task)) {
      return begin(task); // A worker may have left meanwhile.
    }
    if (!workers.isRunning() && takeBack(task)) {
      return false;
    }
    try {
      workers.ensureWorker();
    } catch (Throwable e) {
      if (takeBack(task)) {
        throw e;
      }
    }
    return true;
  }

  private boolean takeBack(Task task) {
    boolean removed = queue.remove((element, body) -> element == task, 1) > 0;
    if (removed) {
      takenBack.incrementAndGet();
      workers.tasksWereRemoved();
    }
    return removed;
  }

  /** Returns the number of tasks taken in so far. */
  public long taken() {
    return queue.added() - takenBack.get() + workers.startedWithTask();
  }
}
