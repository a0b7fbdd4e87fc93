package io.tidepool.internal;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs one after the other on a thread what would otherwise be called from within each other, so
 * that a chain of any length needs no more stack than one link of it.
 */
public final class Trampoline {

  private static final ThreadLocal<@Nullable Queue<Runnable>> NEXT = new ThreadLocal<>();

  private Trampoline() {}

  /** Runs {@code action}: now, or as soon as the one that this thread is running has ended. */
  public static void run(Runnable action) {
    Queue<Runnable> running = NEXT.get();
    if (running != null) {
      running.add(action);
      return;
    }
    Queue<Runnable> queue = new ArrayDeque<>();
    NEXT.set(queue);
    try {
      for (Runnable next = action; next != null; next = queue.poll()) {
        next.run();
      }
    } finally {
      NEXT.remove();
    }
  }
}
