package io.poolkeeper.testbed.rocksdb;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that works beside a run. If it fails, so does the run, since its figures lack a part.
 */
final class Companion implements AutoCloseable {

  private final AtomicBoolean over = new AtomicBoolean();
  private final Thread thread;
  private volatile @Nullable Throwable failure;

  /** Work of a companion. */
  interface Work {

    /**
     * Works until the run is over. Parks where it waits, so that the end wakes it.
     *
     * @throws Exception if it cannot go on
     */
    void run(AtomicBoolean over) throws Exception;
  }

  private Companion(String name, Work work) {
    thread = new Thread(() -> run(work), name);
    thread.setDaemon(true);
  }

  /** Starts a companion. */
  static Companion start(String name, Work work) {
    Companion companion = new Companion(name, work);
    companion.thread.start();
    return companion;
  }

  private void run(Work work) {
    try {
      work.run(over);
    } catch (Throwable e) { // Told at the end of the run.
      failure = e;
    }
  }

  /**
   * Ends the work and waits for it.
   *
   * @throws IllegalStateException naming the thread and the reason if it failed
   */
  @Override
  public void close() {
    over.set(true);
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) { // It may use the database, which is closed next.
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    Throwable reason = failure;
    if (reason != null) {
      throw new IllegalStateException(
          "%s failed during the run: %s".formatted(thread.getName(), reason), reason);
    }
  }
}
