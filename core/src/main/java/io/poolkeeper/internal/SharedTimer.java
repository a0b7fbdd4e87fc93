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
 * One daemon thread for all loops. To wake a thread costs several times what a window does, so a
 * thread for each loop would cost several times as much as its work; and calls fall due at whole
 * multiples of their interval, so that loops of the same interval share a wake-up, and their
 * windows cover the same time.
 *
 * <p>A call that hangs, in a user's controller for example, holds up nobody else for long: a deputy
 * looks once in a while how long the caller has been in its call, and if that is too long leaves it
 * to that call and appoints another caller. Calls that fell due meanwhile, or while the process was
 * stopped, are left out rather than made up for: a burst of empty windows helps nobody. If the
 * clock jumps, calls fall due anew.
 *
 * <p>Both threads end when no loop is left. Until then they outlive whatever is thrown, such as an
 * {@link OutOfMemoryError}: what failed is tried again. Once they run they allocate nothing, they
 * wait for no lock that is held for long, and the deputy runs nobody else's code, not even a log
 * handler's. They inherit nothing from who starts the first loop.
 */
public final class SharedTimer implements LoopTimer {

  /**
   * Multiple of the usual patience after which a first call is reported as late. It loads classes,
   * which takes a second on a busy machine.
   */
  private static final int FIRST = 5;

  /** Longest wait without a look at the clock, 5 s: it may have jumped. */
  private static final long LONGEST_WAIT = 5_000_000_000L;

  /** Wait after something was thrown, 1 ms. */
  private static final long BEFORE_RETRY = 1_000_000;

  private static final SharedTimer OF_PROCESS =
      new SharedTimer(Duration.ofSeconds(1), System::nanoTime, SharedTimer::daemon);

  private final long patience;
  private final Ticker ticker;
  private final ThreadFactory threads;

  // Guarded by this. Threads wait by parking: to wait for a condition would take memory.
  private final PriorityQueue<Loop> waiting =
      new PriorityQueue<>(Comparator.comparingLong(loop -> loop.due));
  private @Nullable Caller caller;
  private @Nullable Thread deputy;
  private long lastReading;

  /** A caller that was left to the first call of a loop, which has not been reported. */
  private @Nullable Caller inFirstCall;

  /**
   * @param patience time that a call may take, and between two looks of the deputy: a call holds up
   *     the others for twice as long at most
   * @param threads makes the two threads
   */
  SharedTimer(Duration patience, Ticker ticker, ThreadFactory threads) {
    this.patience = patience.toNanos();
    this.ticker = ticker;
    this.threads = threads;
    this.lastReading = ticker.nanoTime();
  }

  /** The timer that loops use unless they are given another one. */
  public static SharedTimer ofProcess() {
    return OF_PROCESS;
  }

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    long nanos = interval.toNanos();
    return start(name, () -> nanos, tick);
  }

  /**
   * Starts calling {@code tick} at an interval that may change.
   *
   * @param interval nanoseconds from each call to the next, asked after each; may not allocate
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
    } catch (Throwable e) { // No memory for a thread: a loop that was not started is not called.
      waiting.remove(loop);
      throw e;
    }
    return loop;
  }

  /**
   * The first whole multiple of {@code interval} that is at least half of one after {@code now}.
   */
  static long following(long now, long interval) {
    return -Math.floorDiv(-(now + interval / 2), interval) * interval;
  }

  /** Reads the clock. After a step back no call may wait until the old time comes again. */
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

  /** A caller is noted once its thread has started, which may fail; it waits meanwhile. */
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

  public static Thread daemon(Runnable work) {
    Thread thread = new Thread(null, work, "poolkeeper", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null); // Or it would keep the first user's application loaded.
    return thread;
  }

  private void deputise() {
    boolean serving = true;
    while (serving) {
      try {
        serving = watch();
      } catch (Throwable e) { // No thread for another caller; another look may find one.
        serving = true;
      }
      if (serving) {
        pause(patience);
      }
    }
  }

  /** Replaces a caller that is gone or in its call for too long; false if no loop is left. */
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

  /** A call that tells of another one. It may hang as well, in a log handler. */
  private Loop report(String late) {
    String message = "its controller, a listener or its pool does not answer; other pools go on";
    Loop report = new Loop(late, () -> 0, () -> Log.warn(late, message, null));
    report.once = true;
    report.called = true;
    report.stopped = true;
    return report;
  }

  /** Waits for {@code nanos} at most. An interrupt by somebody's clean-up code ends no thread. */
  private void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
    boolean unused = Thread.interrupted(); // Left set it would turn waits into busy ones.
  }

  /** Calls loops until it has none, or is left to a call that takes too long. */
  private final class Caller implements Runnable {
    private final Thread thread = newThread("poolkeeper-loops", this);

    // Guarded by the timer.
    private @Nullable Loop calling;
    private long since = lastReading;

    /**
     * @param first what it calls before all else
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
        } catch (Throwable e) { // No memory, for example. Nobody else would call the loops.
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

    /** Has the loop that was called wait for its next call. */
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
          caller = this; // The one that took over found no loop and ended.
        } else if (caller != this && waiting.peek() == loop) {
          LockSupport.unpark(caller.thread);
        }
      }
      calling = null;
    }
  }

  /** Tried again before each call. */
  private void startDeputyIfPossible() {
    try {
      startDeputy();
    } catch (Throwable e) { // No thread is to be had.
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
      } catch (Throwable e) { // The others must not pay for it.
        Log.warn(name, "the call threw", e);
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
