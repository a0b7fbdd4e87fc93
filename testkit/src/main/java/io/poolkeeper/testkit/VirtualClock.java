package io.poolkeeper.testkit;

import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Time that moves when a test says so: a {@link Ticker} and a {@link LoopTimer} in one.
 *
 * <p>{@link #advance} makes every call that falls due on its way, in the order of their times, and
 * of equal times in the order in which they were started; each of them reads the time at which it
 * was due. Any thread may read the time; one thread at a time may advance it, and a call must not.
 */
public final class VirtualClock implements Ticker, LoopTimer {

  private final List<Timer> timers = new ArrayList<>();
  private volatile long now;

  /** A clock that stands at 0. */
  public VirtualClock() {
    this(0);
  }

  /**
   * @param origin first reading, nanoseconds; any number, since an origin means nothing
   */
  public VirtualClock(long origin) {
    now = origin;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  /**
   * Moves time forward and makes the calls that fall due, on this thread.
   *
   * @throws IllegalArgumentException if {@code by} is negative
   */
  public void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("time only moves forward, not by " + by);
    }
    long end = now + by.toNanos();
    for (Optional<Timer> next = next(end); next.isPresent(); next = next(end)) {
      now = next.get().due;
      next.get().call();
    }
    now = end;
  }

  /** Returns the number of running timers. */
  public synchronized int timers() {
    return timers.size();
  }

  @Override
  public synchronized Stop start(String name, Duration interval, Runnable tick) {
    Timer timer = new Timer(now + interval.toNanos(), interval.toNanos(), tick);
    timers.add(timer);
    return () -> stop(timer);
  }

  private synchronized void stop(Timer timer) {
    timers.remove(timer);
  }

  private synchronized Optional<Timer> next(long end) {
    // Differences, because a reading may overflow; min keeps the first of equals.
    return timers.stream()
        .filter(timer -> timer.due - end <= 0)
        .min(Comparator.comparingLong(timer -> timer.due - now));
  }

  private static final class Timer {
    private final long interval;
    private final Runnable tick;
    private long due;

    Timer(long due, long interval, Runnable tick) {
      this.due = due;
      this.interval = interval;
      this.tick = tick;
    }

    void call() {
      due += interval;
      tick.run();
    }
  }
}
