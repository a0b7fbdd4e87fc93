package io.poolkeeper.testbed.disk.run;

import io.poolkeeper.testbed.commands.Names;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;

/** Threads that do the jobs of a run. The JDK has virtual ones from version 21 on. */
enum JobThreads {
  /** A worker of the pool does the job. */
  POOL,
  /** A virtual thread does the job; the pool has nothing to do. */
  VIRTUAL,
  /** A virtual thread gives the job to the pool, and waits for it. */
  VIRTUAL_TO_POOL;

  private static final int FIRST_JDK = 21;

  /**
   * Returns those of a name, such as {@code virtual-to-pool}.
   *
   * @throws IllegalArgumentException with the nearest name if there are none, or if this JDK has no
   *     virtual threads and they need some
   */
  static JobThreads named(String name) {
    List<String> names = Arrays.stream(values()).map(JobThreads::text).toList();
    JobThreads found = values()[names.indexOf(Names.require("threads", name, names))];
    if (found != POOL && !available()) {
      throw new IllegalArgumentException(
          "--threads %s needs JDK %d or later, and this is %d"
              .formatted(name, FIRST_JDK, Runtime.version().feature()));
    }
    return found;
  }

  private String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether this JDK has virtual threads. */
  static boolean available() {
    return Runtime.version().feature() >= FIRST_JDK;
  }

  /** Makes an executor with a virtual thread for each task; only where they are available. */
  static ExecutorService virtualThreads() {
    try { // The project is compiled for a JDK that has none.
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("virtual threads cannot be had", e);
    }
  }

  /** Returns the executor that takes the jobs. */
  Executor jobs(Executor pool, ExecutorService virtual) {
    return switch (this) {
      case POOL -> pool;
      case VIRTUAL -> virtual;
      case VIRTUAL_TO_POOL ->
          job ->
              virtual.execute(
                  () -> {
                    FutureTask<?> task = new FutureTask<>(job, null);
                    pool.execute(task);
                    try {
                      task.get();
                    } catch (Exception e) {
                      throw new IllegalStateException(e); // Jobs count their failures themselves.
                    }
                  });
    };
  }
}
