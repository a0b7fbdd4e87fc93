package io.poolkeeper.internal.executor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiting tasks of a pool. Its elements are {@link Task}s, or plain tasks that users put into
 * their own queue.
 */
public abstract sealed class WorkQueue permits LinkedWorkQueue, ForeignWorkQueue {

  /**
   * Number of tasks that {@link #submittedByWorkers} reads. The workers that a hanging pool may add
   * do not reach tasks further back.
   */
  static final int MOST_COUNTED = 10_000;

  /** Adds a task, and wakes a worker for it if needed; false if the queue is full. */
  public abstract boolean offer(Task task);

  /** Adds a task, waiting at most {@code nanos} for room; false if the queue stays full. */
  public abstract boolean offer(Task task, long nanos) throws InterruptedException;

  /** Takes the next task, or returns null if there is none. */
  public abstract @Nullable Runnable poll();

  /**
   * Takes the next task, waiting for one. Returns null if there is none after {@code nanos}, or
   * earlier if the worker may have to leave.
   *
   * @param nanos longest wait; {@link Long#MAX_VALUE} for any
   */
  abstract @Nullable Runnable await(Worker worker, long nanos);

  /** Ends the waits of workers, so that they check whether they have to leave. */
  abstract void wakeAll();

  /** Returns the number of waiting tasks. */
  public abstract int size();

  /**
   * Counts the tasks at the front that workers of the pool submitted. It traverses the queue, so no
   * counter can drift, and other tasks cost nothing.
   */
  public abstract int submittedByWorkers();

  /** Returns whether no task waits. */
  public abstract boolean isEmpty();

  /** Returns the remaining capacity. */
  public abstract int remainingCapacity();

  /** Returns the number of tasks added so far. */
  public abstract long added();

  /**
   * Removes elements.
   *
   * @param which tests an element, and the task that the user submitted with it
   * @param most largest number to remove, from the front
   * @return number of elements removed
   */
  public abstract int remove(BiPredicate<Runnable, Runnable> which, int most);

  /** Returns the elements, in the order in which they will be taken. */
  public abstract List<Runnable> elements();

  /** Removes all tasks and returns them as users submitted them. */
  public List<Runnable> drain() {
    List<Runnable> bodies = new ArrayList<>(size());
    for (Runnable next = poll(); next != null; next = poll()) {
      bodies.add(Task.take(next));
    }
    return bodies;
  }
}
