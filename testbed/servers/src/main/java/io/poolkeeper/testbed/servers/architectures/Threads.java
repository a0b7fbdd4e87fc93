package io.poolkeeper.testbed.servers.architectures;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Ends the threads of a server. */
public final class Threads {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private Threads() {}

  /**
   * Waits for a thread that has been told to end; interrupts it after {@code patience}, since an
   * application may hold it up, and gives it the same time again. An interrupt of the caller is
   * kept for later: what has been begun is ended first.
   */
  public static void end(Thread thread, Duration patience) {
    end(List.of(thread), patience);
  }

  /** The same for several threads, which have that time together. */
  public static void end(Collection<Thread> threads, Duration patience) {
    boolean interrupted = !end(threads, System.nanoTime() + patience.toNanos());
    threads.stream().filter(Thread::isAlive).forEach(Thread::interrupt);
    interrupted |= !end(threads, System.nanoTime() + patience.toNanos());
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        LOG.log(Level.WARNING, "the thread {0} does not end", thread.getName());
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** False if the caller was interrupted meanwhile, and no time was left to wait. */
  private static boolean end(Collection<Thread> threads, long deadline) {
    try {
      for (Thread thread : threads) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left > 0) {
          thread.join(left);
        }
      }
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
