package io.poolkeeper;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * A resource whose size can change while it runs: a thread pool, a semaphore, a connection pool,
 * the background threads of a store.
 */
public interface Resizable {

  /**
   * Makes a resizable of anything that has a getter and a setter of its size. A {@link
   * io.poolkeeper.spi.TaskMeter} measures it, where nothing else does.
   *
   * @param name not blank
   * @param getter reads the size in force
   * @param setter changes it at once; called by one thread at a time if one loop tunes it
   */
  static Resizable of(String name, Bounds bounds, IntSupplier getter, IntConsumer setter) {
    return new PlainResizable(name, bounds, getter, setter);
  }

  /** Name by which people know it. */
  String name();

  /** Size in force. It may be reached later, when running tasks have ended. */
  int size();

  /** Sizes it may be given. */
  Bounds bounds();

  /**
   * Changes the size at once: growth starts workers or wakes waiters while a backlog waits, and
   * shrinking lets running tasks end.
   *
   * @throws IllegalArgumentException if the size is outside {@link #bounds()}; nothing has changed
   *     then
   */
  void resize(int size);

  /** Threads that do the work now, for the report of a hang; empty if it has none of its own. */
  default List<Thread> workers() {
    return List.of();
  }

  /**
   * Stacks for the report of a hang, by what they are of; by default those of {@link #workers}, by
   * their names.
   */
  default Map<String, List<StackTraceElement>> stacks() {
    Map<String, List<StackTraceElement>> stacks = new LinkedHashMap<>();
    for (Thread worker : workers()) {
      stacks.put(worker.getName(), List.of(worker.getStackTrace()));
    }
    return stacks;
  }
}
