package io.poolkeeper.internal.executor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiting tasks of a pool. Its elements are {@link Task}s, and tasks of users where they have
 * put some into a queue of their own.
 */
public abstract sealed class WorkQueue permits LinkedWorkQueue, ForeignWorkQueue {

  /**
   * Tasks that {@link #submittedByWorkers} looks at. Tasks further back are out of reach of the
   * workers that a pool in a hang may add.
   */
  static final int MOST_COUNTED = 10_000;

  /** Adds a task, and wakes a worker for it where that is needed; false if the queue is full. */
  public abstract boolean offer(Task task);

  /** Adds a task within {@code nanos}; false if the queue is full for so long. */
  public abstract boolean offer(Task task, long nanos) throws InterruptedException;

  /** Takes the next task, or returns null if there is none. */
  public abstract @Nullable Runnable poll();

  /**
   * Takes the next task, for a worker that has found none. Returns null if there is none after
   * {@code nanos}, or earlier if the worker may have to leave.
   *
   * @param nanos longest wait; {@link Long#MAX_VALUE} for any
   */
  abstract @Nullable Runnable await(Worker worker, long nanos);

  /** Ends the waits of workers, so that they look whether they have to leave. */
  abstract void wakeAll();

  /** Tasks that wait now. */
  public abstract int size();

  /**
   * Counts the tasks at the front that workers of the pool submitted. It goes through the queue, so
   * that no counter can drift and none is kept for tasks that do not wait.
   */
  public abstract int submittedByWorkers();

  /** Whether no task waits now. */
  public abstract boolean isEmpty();

  /** Tasks for which there is room now. */
  public abstract int remainingCapacity();

  /** Tasks that were ever added. */
  public abstract long added();

  /**
   * Removes elements.
   *
   * @param most largest number to remove, from the front
   * @return number that were removed
   */
  public abstract int remove(Predicate<Runnable> which, int most);

  /** The elements, in the order in which they will be taken. */
  public abstract List<Runnable> elements();

  /** Removes all tasks and returns them as they were given to the pool. */
  public List<Runnable> drain() {
    List<Runnable> bodies = new ArrayList<>(size());
    for (Runnable next = poll(); next != null; next = poll()) {
      bodies.add(Task.take(next));
    }
    return bodies;
  }
}
