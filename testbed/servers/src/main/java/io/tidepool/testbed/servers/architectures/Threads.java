package io.tidepool.testbed.servers.architectures;

import java.lang.System.Logger.Level;
import java.time.Duration;

/** How the threads of a server end. */
public final class Threads {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");

  private Threads() {}

  /**
   * Waits for a thread that has been told to end; interrupts it after {@code patience}, since an
   * application may hold it up, and gives it the same time again. An interrupt of the caller is
   * kept for later: what has been begun is ended first.
   */
  public static void end(Thread thread, Duration patience) {
    boolean interrupted = !ends(thread, patience);
    if (thread.isAlive()) {
      thread.interrupt();
      interrupted |= !ends(thread, patience);
    }
    if (thread.isAlive()) {
      LOG.log(Level.WARNING, "the thread {0} does not end", thread.getName());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** False if the caller was interrupted meanwhile, and no time was left to wait. */
  private static boolean ends(Thread thread, Duration patience) {
    try {
      thread.join(patience.toMillis());
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
