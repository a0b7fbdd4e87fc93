package io.poolkeeper.internal.executor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A task in the queue of a pool, with the time of its arrival. It is also the node of a {@link
 * LinkedWorkQueue}, so a measured task needs no more objects than a task in a linked queue of the
 * JDK.
 */
public final class Task implements Runnable {

  private static final VarHandle NEXT;

  static {
    try {
      NEXT = MethodHandles.lookup().findVarHandle(Task.class, "next", Task.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long arrival;

  /** Number of tasks added to the queue up to this one. */
  long index;

  /** Whether it was taken or removed; guarded by the lane of the queue's front. */
  boolean gone;

  /** Whether a worker of the pool submitted it; set before it is added to the queue. */
  private boolean fromWorker;

  /** Null when no longer needed. */
  private @Nullable Runnable body;

  @SuppressWarnings("unused") // through NEXT
  private @Nullable Task next;

  /**
   * @param body task as it was given to the pool
   * @param arrival reading of the clock when it was given
   */
  public Task(Runnable body, long arrival) {
    this.body = body;
    this.arrival = arrival;
  }

  /** Makes the sentinel node in front of the first task. */
  Task() {
    this.arrival = 0;
  }

  /** Returns the task that the user submitted, for an element of any queue of a pool. */
  static Runnable body(Runnable element) {
    if (element instanceof Task task) {
      Runnable body = task.body;
      return body == null ? task : body;
    }
    return element;
  }

  /** Records that a worker of the pool submitted it; called before it is queued. */
  public void submittedByWorker() {
    fromWorker = true;
  }

  /** Returns whether a worker of the pool submitted an element of its queue. */
  static boolean isFromWorker(Runnable element) {
    return element instanceof Task task && task.fromWorker;
  }

  long arrival() {
    return arrival;
  }

  /** Like {@link #body}, but also releases the body, because the node of a queue lives longer. */
  static Runnable take(Runnable element) {
    Runnable body = body(element);
    if (element instanceof Task task) {
      task.clear();
    }
    return body;
  }

  void clear() {
    body = null;
  }

  @Nullable Task next() {
    return (Task) NEXT.getAcquire(this);
  }

  void next(@Nullable Task task) {
    NEXT.setRelease(this, task);
  }

  /** Runs the body, for a user who took the task out of his own queue. */
  @Override
  public void run() {
    Runnable given = body;
    if (given != null) {
      given.run();
    }
  }
}
