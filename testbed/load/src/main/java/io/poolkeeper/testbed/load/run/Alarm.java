package io.poolkeeper.testbed.load.run;

import java.util.concurrent.locks.LockSupport;

/**
 * Wakes a load thread at a time to a few hundredths of a millisecond; its selector knows whole ones
 * alone. One thread sets it, a thread of its own keeps it.
 */
final class Alarm implements AutoCloseable {

  private static final long NEVER = Long.MAX_VALUE;

  private final Runnable wakeUp;
  private final Thread thread;
  private volatile long due = NEVER;

  /** Until when the alarm's thread sleeps, or a bit less than it did. */
  private volatile long sleepsUntil = NEVER;

  private volatile boolean closed;

  /**
   * @param wakeUp wakes the load thread; may be called once too often
   */
  Alarm(String name, Runnable wakeUp) {
    this.wakeUp = wakeUp;
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Replaces the time at which it wakes, of {@link System#nanoTime}. */
  void set(long due) {
    this.due = due;
    // If its thread is about to sleep longer, it looks at the time once more before it does.
    if (due < sleepsUntil) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closed) {
      long until = due;
      long now = System.nanoTime();
      if (until <= now) {
        due = NEVER;
        sleepsUntil = NEVER;
        wakeUp.run();
      } else {
        sleepsUntil = until;
        if (due == until) {
          if (until == NEVER) {
            LockSupport.park(this);
          } else {
            LockSupport.parkNanos(this, until - now);
          }
        }
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
