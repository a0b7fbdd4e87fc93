package io.poolkeeper.testbed.commands;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Orderly stop of a command by SIGTERM or Ctrl-C. The process asks the work to stop, and ends when
 * this is closed, or after a while without.
 */
public final class StopHook {

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook;

  /**
   * Asks the JVM to call {@code stop} when the process has to end.
   *
   * @param stop asks the work to stop soon; called by another thread
   * @param longest time for which the process waits for the work
   * @param err gets a line if the work takes longer
   */
  public StopHook(Runnable stop, Duration longest, PrintStream err) {
    hook = new Thread(() -> stopAndAwait(stop, longest, err), "stop");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void stopAndAwait(Runnable stop, Duration longest, PrintStream err) {
    stop.run();
    try {
      if (!done.await(longest.toSeconds(), TimeUnit.SECONDS)) {
        err.println("poolkeeper: did not stop within " + longest.toSeconds() + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** States that the work is over: a process that is being stopped ends with this. */
  public void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is being stopped; the hook was waiting for this.
    }
  }
}
