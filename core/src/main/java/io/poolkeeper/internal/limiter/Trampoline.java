package io.poolkeeper.internal.limiter;

import org.jspecify.annotations.Nullable;

/**
 * Trampoline of a thread: runs nested steps one after the other, so that a chain of any length
 * needs the stack of one step. Without memory for that, a step runs at once on a deeper stack.
 */
public final class Trampoline {

  /** A waiter that has left the queue of its gate; its links are used again here. */
  public abstract static class Step extends Gate.Waiter {
    /** Called once; must not throw. */
    protected abstract void step();
  }

  private static final ThreadLocal<@Nullable WaiterQueue> NEXT = new ThreadLocal<>();

  private Trampoline() {}

  /**
   * Runs {@code step}, at once or after the step that this thread is running.
   *
   * @param step for the first and only time
   */
  public static void run(Step step) {
    WaiterQueue queue;
    try {
      WaiterQueue running = NEXT.get();
      if (running != null) {
        running.add(step);
        return;
      }
      queue = new WaiterQueue();
      NEXT.set(queue);
    } catch (OutOfMemoryError e) {
      NEXT.remove(); // It may have been set nevertheless, and nothing would empty it.
      step.step();
      return;
    }
    try {
      step.step();
      while (!queue.isEmpty()) {
        ((Step) queue.remove()).step();
      }
    } finally {
      NEXT.remove();
    }
  }
}
