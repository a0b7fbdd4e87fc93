package io.tidepool.internal;

import io.tidepool.spi.LoopTimer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread for each loop. Calls that fell due while the process was stopped, or while a call
 * took too long, are left out rather than made up for: a burst of empty windows helps nobody.
 */
public final class ThreadTimer implements LoopTimer {

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    Loop loop = new Loop(interval.toNanos(), tick);
    Thread thread = new Thread(loop, "tidepool-" + name);
    thread.setDaemon(true);
    loop.thread = thread;
    thread.start();
    return loop;
  }

  /**
   * When the call after the one of {@code due} falls due: on the grid of the interval, and at least
   * half an interval away. A call right after a late one would find a window in which nothing had
   * time to happen, and a controller would take that for an idle pool.
   */
  static long following(long due, long interval, long now) {
    long late = Math.max(0, now - due);
    return due + interval * Math.max(1, (late + interval / 2 + interval - 1) / interval);
  }

  private static final class Loop implements Runnable, Stop {
    private final long interval;
    private final Runnable tick;
    private volatile boolean stopped;
    private volatile @Nullable Thread thread;

    Loop(long interval, Runnable tick) {
      this.interval = interval;
      this.tick = tick;
    }

    @Override
    public void run() {
      long due = System.nanoTime() + interval;
      while (!stopped) {
        long wait = due - System.nanoTime();
        if (wait > 0) {
          LockSupport.parkNanos(this, wait);
          // Left set, an interrupt by some clean-up code would turn the wait into a busy one.
          Thread.interrupted();
        } else {
          tick.run();
          due = following(due, interval, System.nanoTime());
        }
      }
    }

    @Override
    public void stop() {
      stopped = true;
      LockSupport.unpark(thread);
    }
  }
}
