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
   * Returns a resizable for a getter and a setter of a size. A {@link io.poolkeeper.spi.TaskMeter}
   * can measure it.
   *
   * @param name not blank
   * @param getter reads the size in force
   * @param setter changes the size at once; a loop calls it from one thread at a time
   */
  static Resizable of(String name, Bounds bounds, IntSupplier getter, IntConsumer setter) {
    return new PlainResizable(name, bounds, getter, setter);
  }

  /** Returns the name in logs, JFR and JMX. */
  String name();

  /** Returns the size in force. After shrinking it is reached when running tasks have ended. */
  int size();

  /** Returns the sizes that are allowed. */
  Bounds bounds();

  /**
   * Changes the size at once. Growth starts workers or admits waiters; shrinking lets running tasks
   * end.
   *
   * @throws IllegalArgumentException if the size is outside {@link #bounds()}; nothing changes then
   */
  void resize(int size);

  /** Returns the threads that do the work, for the report of a hang; default none. */
  default List<Thread> workers() {
    return List.of();
  }

  /**
   * Returns stacks by label for the report of a hang; default those of {@link #workers} by thread
   * name.
   */
  default Map<String, List<StackTraceElement>> stacks() {
    Map<String, List<StackTraceElement>> stacks = new LinkedHashMap<>();
    for (Thread worker : workers()) {
      stacks.put(worker.getName(), List.of(worker.getStackTrace()));
    }
    return stacks;
  }
}
