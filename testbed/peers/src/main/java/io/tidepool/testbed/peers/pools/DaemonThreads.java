package io.tidepool.testbed.peers.pools;

import io.tidepool.Bounds;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** What all pools have in common: threads that keep no process alive, and sizes they may have. */
final class DaemonThreads {

  /** Sizes that any of the pools may be given. */
  static final Bounds BOUNDS = new Bounds(1, 1000);

  private DaemonThreads() {}

  /** Threads that keep to themselves what a task throws: the tests look at the pool. */
  static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((dying, thrown) -> {});
      return thread;
    };
  }
}
