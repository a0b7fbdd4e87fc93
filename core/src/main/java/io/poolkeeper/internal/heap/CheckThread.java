package io.poolkeeper.internal.heap;

import io.poolkeeper.internal.SharedTimer;
import io.poolkeeper.spi.LoopTimer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A daemon thread for the checks of the heap alone. Loops close windows, decide and log, all of
 * which takes memory: in a full heap their thread stands still for seconds. This one allocates
 * nothing once it runs, and waits for no lock.
 */
final class CheckThread implements LoopTimer.Stop, Runnable {

  private final LongSupplier interval;
  private final Runnable check;
  private final Thread thread;
  private volatile boolean stopped;

  private CheckThread(LongSupplier interval, Runnable check) {
    this.interval = interval;
    this.check = check;
    this.thread = SharedTimer.daemon(this);
    thread.setName("poolkeeper-heap");
  }

  /**
   * Starts calling {@code check}.
   *
   * @param interval nanoseconds until the next call, read before each wait
   * @throws OutOfMemoryError if no thread can be started
   */
  static LoopTimer.Stop start(LongSupplier interval, Runnable check) {
    CheckThread checks = new CheckThread(interval, check);
    checks.thread.start();
    return checks;
  }

  @Override
  public void run() {
    while (!stopped) {
      LockSupport.parkNanos(this, interval.getAsLong());
      boolean unused = Thread.interrupted(); // A flag left set would end every wait at once.
      if (!stopped) {
        callSafely();
      }
    }
  }

  private void callSafely() {
    try {
      check.run();
    } catch (Throwable e) { // Logging takes memory; the next check tries again.
      Thread.onSpinWait();
    }
  }

  @Override
  public void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }
}
