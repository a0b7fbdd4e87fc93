package io.poolkeeper.internal.limiter;

import org.jspecify.annotations.Nullable;

/**
 * Runs one after the other on a thread what would otherwise be called from within each other, so
 * that a chain of any length needs no more stack than one link of it. Where there is no memory for
 * that, each runs at once on a deeper stack.
 */
public final class Trampoline {

  /** A waiter that has left the queue of its gate, whose links serve again here. */
  public abstract static class Step extends Gate.Waiter {
    /** Called once; must not throw. */
    protected abstract void step();
  }

  private static final ThreadLocal<@Nullable WaiterQueue> NEXT = new ThreadLocal<>();

  private Trampoline() {}

  /**
   * Runs {@code step}: now, or as soon as the one that this thread is running has ended.
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
      NEXT.remove(); // It may have been set all the same, and nobody would empty it.
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
