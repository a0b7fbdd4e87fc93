package io.tidepool.internal;

import io.tidepool.spi.LoopTimer;
import io.tidepool.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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
 * stopped, are left out rather than made up for: a burst of empty windows helps nobody.
 *
 * <p>Both threads end when no loop is left. They inherit nothing from who starts the first loop.
 */
public final class SharedTimer implements LoopTimer {

  private static final System.Logger LOG = System.getLogger("io.tidepool");

  /** How many times the usual patience the first call of a loop is given. */
  private static final int FIRST = 5;

  private static final SharedTimer OF_PROCESS =
      new SharedTimer(Duration.ofSeconds(1), System::nanoTime, SharedTimer::daemon);

  private final long patience;
  private final Ticker ticker;
  private final ThreadFactory threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition firstChanged = lock.newCondition();
  private final Condition callerLeft = lock.newCondition();
  private final PriorityQueue<Loop> waiting =
      new PriorityQueue<>(Comparator.comparingLong(loop -> loop.due));
  private @Nullable Caller caller;
  private boolean deputised;

  /**
   * @param patience time that a call may take, and between two looks of the deputy: a call holds up
   *     the others for twice as long at most, the first one of its loop for six times as long
   * @param threads makes the two threads
   */
  SharedTimer(Duration patience, Ticker ticker, ThreadFactory threads) {
    this.patience = patience.toNanos();
    this.ticker = ticker;
    this.threads = threads;
  }

  /** The timer that loops use unless they are given another one. */
  public static SharedTimer ofProcess() {
    return OF_PROCESS;
  }

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    Loop loop = new Loop(name, interval.toNanos(), tick);
    lock.lock();
    try {
      await(loop);
    } catch (Throwable e) { // No memory for a thread: a loop that was not started is not called.
      waiting.remove(loop);
      throw e;
    } finally {
      lock.unlock();
    }
    return loop;
  }

  /**
   * The first whole multiple of {@code interval} that is at least half of one after {@code now}.
   */
  static long following(long now, long interval) {
    return -Math.floorDiv(-(now + interval / 2), interval) * interval;
  }

  private void await(Loop loop) {
    waiting.add(loop);
    if (caller == null) {
      appoint();
    } else if (waiting.peek() == loop) {
      firstChanged.signal();
    }
    if (!deputised) {
      start("tidepool-deputy", this::deputise);
      deputised = true;
    }
  }

  /** A thread is noted once it has started, which may fail; it waits for the lock meanwhile. */
  private void appoint() {
    Caller next = new Caller();
    start("tidepool-loops", next);
    caller = next;
  }

  private void start(String name, Runnable work) {
    Thread thread = threads.newThread(work);
    thread.setName(name);
    thread.start();
  }

  static Thread daemon(Runnable work) {
    Thread thread = new Thread(null, work, "tidepool", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null); // Or it would keep the first user's application loaded.
    return thread;
  }

  private void deputise() {
    lock.lock();
    try {
      while (caller != null) {
        Loop called = caller.calling;
        if (called != null && ticker.nanoTime() - caller.since > called.patience()) {
          LOG.log(
              Level.WARNING,
              "{0}: its controller, a listener or its pool does not answer; other pools go on",
              called.name);
          replaceCaller();
        }
        sleep(callerLeft, patience);
      }
    } finally {
      deputised = false;
      lock.unlock();
    }
  }

  private void replaceCaller() {
    try {
      appoint();
    } catch (OutOfMemoryError e) { // Of threads as well; the deputy must outlive it to try again.
      LOG.log(Level.WARNING, "no thread for the other pools is to be had: {0}", e.getMessage());
    }
  }

  /** Waits under the lock. An interrupt by somebody's clean-up code is no reason to end. */
  @SuppressWarnings("WaitNotInLoop") // Who calls looks again at what it waits for.
  private static void sleep(Condition condition, long nanos) {
    try {
      long unused = condition.awaitNanos(nanos);
    } catch (InterruptedException e) {
      // The flag is cleared; left set it would turn the wait into a busy one.
    }
  }

  /** Calls loops until it has none, or is left to a call that takes too long. */
  private final class Caller implements Runnable {
    private @Nullable Loop calling;
    private long since;

    @Override
    public void run() {
      lock.lock();
      try {
        while (caller == this) {
          Loop first = waiting.peek();
          if (first == null) {
            caller = null;
            callerLeft.signal();
            return;
          }
          long early = first.due - ticker.nanoTime();
          if (early > 0) {
            sleep(firstChanged, early);
          } else {
            waiting.remove();
            call(first);
          }
        }
      } finally {
        lock.unlock();
      }
    }

    private void call(Loop loop) {
      calling = loop;
      since = ticker.nanoTime();
      lock.unlock();
      try {
        loop.tick.run();
      } catch (Throwable e) { // The others must not pay for it.
        report(loop, e);
      } finally {
        lock.lock();
        calling = null;
        loop.called = true;
      }
      if (!loop.stopped) {
        loop.due = following(Math.max(loop.due, ticker.nanoTime()), loop.interval);
        await(loop);
      }
    }
  }

  private static void report(Loop loop, Throwable thrown) {
    try {
      LOG.log(Level.WARNING, loop.name + ": the call threw", thrown);
    } catch (Throwable ignored) { // What cannot be written, such as a message that throws itself.
    }
  }

  /** What is called; its fields are read and written under the lock. */
  private final class Loop implements Stop {
    private final String name;
    private final long interval;
    private final Runnable tick;
    private long due;
    private boolean called;
    private boolean stopped;

    Loop(String name, long interval, Runnable tick) {
      this.name = name;
      this.interval = interval;
      this.tick = tick;
      this.due = following(ticker.nanoTime(), interval);
    }

    /** More for the first call, which loads classes: on a busy machine that takes a second. */
    long patience() {
      return called ? patience : FIRST * patience;
    }

    @Override
    public void stop() {
      lock.lock();
      try {
        stopped = true;
        if (waiting.remove(this) && waiting.isEmpty()) {
          firstChanged.signal();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
