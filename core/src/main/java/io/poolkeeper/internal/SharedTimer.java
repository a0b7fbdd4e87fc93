package io.poolkeeper.internal;

import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Timer with one daemon thread for all loops. Waking a thread costs several times as much as
 * closing a window, so a thread for each loop would cost more than its work. Calls are due at whole
 * multiples of their interval, so loops with the same interval share a wake-up and their windows
 * cover the same time.
 *
 * <p>A call that hangs, for example in a user's controller, does not delay other loops for long. A
 * second thread, the deputy, checks at intervals how long the caller has been in its call. If that
 * is too long, it leaves the caller to that call and starts another one. Calls that became due
 * meanwhile, or while the process was stopped, are skipped, because a burst of empty windows helps
 * nobody. If the clock jumps, all due times are computed anew.
 *
 * <p>Both threads end when no loop is left. Until then they survive any exception, such as an
 * {@link OutOfMemoryError}, and retry. Once they run, they allocate nothing and wait for no lock
 * that is held for long. The deputy runs no code of users, not even log handlers. The threads
 * inherit nothing from the thread that starts the first loop.
 */
public final class SharedTimer implements LoopTimer {

  /**
   * Multiple of the patience after which the first call of a loop is reported as late. It loads
   * classes, which takes a second on a busy machine.
   */
  private static final int FIRST = 5;

  /** Longest wait between two readings of the clock, which may jump; nanoseconds, 5 s. */
  private static final long LONGEST_WAIT = 5_000_000_000L;

  /** Wait before a retry after an exception; nanoseconds, 1 ms. */
  private static final long BEFORE_RETRY = 1_000_000;

  private static final SharedTimer OF_PROCESS =
      new SharedTimer(Duration.ofSeconds(1), System::nanoTime, SharedTimer::daemon);

  private final long patience;
  private final Ticker ticker;
  private final ThreadFactory threads;

  // Guarded by this. Threads wait by parking, because waiting for a condition takes memory.
  private final PriorityQueue<Loop> waiting =
      new PriorityQueue<>(Comparator.comparingLong(loop -> loop.due));
  private @Nullable Caller caller;
  private @Nullable Thread deputy;
  private long lastReading;

  /** A replaced caller in the first call of a loop, which has not been reported as late yet. */
  private @Nullable Caller inFirstCall;

  /**
   * @param patience longest time of a call, and interval between two checks of the deputy; so a
   *     call delays other loops by at most twice this time
   * @param threads factory of the two threads
   */
  SharedTimer(Duration patience, Ticker ticker, ThreadFactory threads) {
    this.patience = patience.toNanos();
    this.ticker = ticker;
    this.threads = threads;
    this.lastReading = ticker.nanoTime();
  }

  /** Returns the default timer of loops. */
  public static SharedTimer ofProcess() {
    return OF_PROCESS;
  }

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    long nanos = interval.toNanos();
    return start(name, () -> nanos, tick);
  }

  /**
   * Starts calling {@code tick} at a variable interval.
   *
   * @param interval nanoseconds until the next call, read after each call; must not allocate
   */
  public synchronized Stop start(String name, LongSupplier interval, Runnable tick) {
    Loop loop = new Loop(name, interval, tick);
    loop.due = following(read(), loop.interval.getAsLong());
    try {
      waiting.add(loop);
      if (caller == null || !caller.thread.isAlive()) {
        appoint(null);
      } else if (waiting.peek() == loop) {
        LockSupport.unpark(caller.thread);
      }
      startDeputy();
    } catch (Throwable e) { // No memory for a thread: the loop was not started.
      waiting.remove(loop);
      throw e;
    }
    return loop;
  }

  /**
   * Returns the first whole multiple of {@code interval} that is at least half an interval after
   * {@code now}.
   */
  static long following(long now, long interval) {
    return -Math.floorDiv(-(now + interval / 2), interval) * interval;
  }

  /** Reads the clock, and computes all due times anew if it went back. */
  private long read() {
    long now = ticker.nanoTime();
    if (now - lastReading < 0) {
      List<Loop> all = List.copyOf(waiting);
      waiting.clear();
      all.forEach(loop -> loop.due = following(now, loop.interval.getAsLong()));
      waiting.addAll(all);
    }
    lastReading = now;
    return now;
  }

  /** Starts a caller. It is registered only after its thread has started, which may fail. */
  private void appoint(@Nullable Loop first) {
    Caller next = new Caller(first);
    next.thread.start();
    caller = next;
  }

  private void startDeputy() {
    if (deputy == null || !deputy.isAlive()) {
      Thread next = newThread("poolkeeper-deputy", this::deputise);
      next.start();
      deputy = next;
    }
  }

  private Thread newThread(String name, Runnable work) {
    Thread thread = threads.newThread(work);
    thread.setName(name);
    return thread;
  }

  /** Returns a daemon thread that inherits nothing; it is not started. */
  public static Thread daemon(Runnable work) {
    Thread thread = new Thread(null, work, "poolkeeper", 0, false);
    thread.setDaemon(true);
    // Otherwise it would keep the first user's application loaded.
    thread.setContextClassLoader(null);
    return thread;
  }

  private void deputise() {
    boolean serving = true;
    while (serving) {
      try {
        serving = watch();
      } catch (Throwable e) { // No thread for another caller; the next check tries again.
        serving = true;
      }
      if (serving) {
        pause(patience);
      }
    }
  }

  /** Replaces a caller that has died or is in its call for too long; false if no loop is left. */
  private synchronized boolean watch() {
    Caller current = caller;
    if (current == null && inFirstCall == null) {
      deputy = null;
      return false;
    }
    Loop called = current == null ? null : current.calling;
    if (current != null && !current.thread.isAlive()) {
      appoint(null);
      current.putBack();
    } else if (current != null && called != null && read() - current.since > patience) {
      appoint(called.once || !called.called ? null : report(called.name));
      inFirstCall = called.called ? inFirstCall : current;
    } else {
      reportFirstCall();
    }
    return true;
  }

  private void reportFirstCall() {
    Caller left = inFirstCall;
    Loop called = left == null ? null : left.calling;
    if (left == null || called == null) {
      inFirstCall = null;
    } else if (read() - left.since > FIRST * patience) {
      appoint(report(called.name));
      inFirstCall = null;
    }
  }

  /** Returns a call that logs a late call. It may hang as well, in a log handler. */
  private Loop report(String late) {
    String message =
        "the call of its loop does not return: controller, listener or pool hangs, or the heap is"
            + " full; other pools go on";
    Loop report = new Loop(late, () -> 0, () -> Log.warn(late, message, null));
    report.once = true;
    report.called = true;
    report.stopped = true;
    return report;
  }

  /**
   * Waits at most {@code nanos}. An interrupt, for example by clean-up code of a host, does not end
   * the thread.
   */
  private void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
    boolean unused = Thread.interrupted(); // A flag left set would end every wait at once.
  }

  /** Calls loops until none is left, or until it is replaced because a call takes too long. */
  private final class Caller implements Runnable {
    private final Thread thread = newThread("poolkeeper-loops", this);

    // Guarded by the timer.
    private @Nullable Loop calling;
    private long since = lastReading;

    /**
     * @param first call to make before all others
     */
    Caller(@Nullable Loop first) {
      calling = first;
    }

    @Override
    public void run() {
      Loop first = calling;
      if (first != null) {
        first.call();
      }
      boolean serving = true;
      while (serving) {
        try {
          serving = serve();
        } catch (Throwable e) { // No memory, for example; no other thread would call the loops.
          pause(BEFORE_RETRY);
        }
      }
    }

    /** Makes a call or waits for one; false if another caller serves, or no loop is left. */
    private boolean serve() {
      Loop first;
      long early;
      synchronized (SharedTimer.this) {
        putBack();
        if (caller != this) {
          return false;
        }
        long now = read();
        first = waiting.peek();
        if (first == null) {
          caller = null;
          LockSupport.unpark(deputy);
          return false;
        }
        early = first.due - now;
        if (early <= 0) {
          waiting.remove();
          calling = first;
          since = now;
          startDeputyIfPossible();
        }
      }
      if (early > 0) {
        pause(Math.min(early, LONGEST_WAIT));
      } else {
        first.call();
      }
      return true;
    }

    /** Schedules the next call of the loop that was called. */
    private void putBack() {
      Loop loop = calling;
      if (loop == null) {
        return;
      }
      loop.called = true;
      if (!loop.stopped) {
        loop.due = following(read(), loop.interval.getAsLong());
        waiting.add(loop);
        if (caller == null) {
          caller = this; // Its replacement found no loop and ended.
        } else if (caller != this && waiting.peek() == loop) {
          LockSupport.unpark(caller.thread);
        }
      }
      calling = null;
    }
  }

  /** Starts the deputy; tried again before each call if it fails. */
  private void startDeputyIfPossible() {
    try {
      startDeputy();
    } catch (Throwable e) { // No thread can be started.
      deputy = null;
    }
  }

  /** A call at an interval; its fields are guarded by the timer. */
  private final class Loop implements Stop {
    private final String name;
    private final LongSupplier interval;
    private final Runnable tick;
    private long due;
    private boolean once;
    private boolean called;
    private boolean stopped;

    Loop(String name, LongSupplier interval, Runnable tick) {
      this.name = name;
      this.interval = interval;
      this.tick = tick;
    }

    void call() {
      try {
        tick.run();
      } catch (Throwable e) { // Other loops must not suffer.
        Log.warn(name, "the call of its loop threw", e);
      }
    }

    @Override
    public void stop() {
      synchronized (SharedTimer.this) {
        stopped = true;
        if (waiting.remove(this) && waiting.isEmpty() && caller != null) {
          LockSupport.unpark(caller.thread);
        }
      }
    }
  }
}
