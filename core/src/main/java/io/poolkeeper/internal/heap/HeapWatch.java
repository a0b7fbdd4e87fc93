package io.poolkeeper.internal.heap;

import io.poolkeeper.Window;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Watch that checks the heap more often than windows close, for all loops of the process. Two
 * hundred tasks that need too much memory fill the heap in a fifth of a second, sometimes before
 * the first collection, and then none of them ends. The watch informs loops only while much of the
 * time goes into garbage collection of a heap that is half full, or while the heap fills at a rate
 * that rose suddenly. A check allocates nothing, and has a thread of its own: that of the loops
 * stands still in a full heap.
 *
 * <p>A check costs a microsecond, but waking a thread for it costs a hundred. So checks are rare
 * while nothing is collected, little is allocated, and few tasks run at once.
 */
public final class HeapWatch {

  /** Callback for a heap that fills up. It must not throw. */
  @FunctionalInterface
  public interface Alarm {

    /**
     * Receives the result of the latest checks.
     *
     * @param collecting share of the time in which garbage collection stopped the process
     * @param filling part of the free heap that the next second takes at a rate that rose suddenly,
     *     0 while the rate is usual
     */
    void filling(double collecting, double filling);
  }

  /** Timer with a variable interval; see {@link CheckThread}. */
  @FunctionalInterface
  interface Timer {
    /** Starts calling {@code check}, {@code interval} nanoseconds after each call. */
    LoopTimer.Stop start(LongSupplier interval, Runnable check);
  }

  private static final long INTERVAL = 50_000_000;

  /** Interval while nothing is collected and little is allocated. */
  private static final long RARE_INTERVAL = 250_000_000;

  /** Nanoseconds without a sign of danger after which checks become rare. */
  private static final long CALM = 1_000_000_000;

  /** Busy workers or permits that may fill the heap before a rare check. */
  private static final int CROWD = 16 * Runtime.getRuntime().availableProcessors();

  /** Part of the heap allocated in a second above which checks are frequent. */
  private static final double BRISK = 0.02;

  /** Nanoseconds within which a heap in danger fills up. */
  private static final double SOON = 1_000_000_000;

  /** Multiple of the usual rate of allocation that counts as a sudden rise. */
  private static final double SUDDEN = 5;

  /** Nanoseconds over which the usual rate of allocation is averaged. */
  private static final double USUAL = 5_000_000_000.0;

  /** Nanoseconds after which an alarm that has not returned is ignored. */
  private static final long PATIENCE = 2_000_000_000;

  /** Share of the time in garbage collection below which no alarm is called. */
  private static final double LEAST = 0.2;

  private static final long NOT_CALLING = Long.MIN_VALUE;

  private static final HeapWatch OF_PROCESS =
      new HeapWatch(CheckThread::start, Ticker.system(), CollectionTime::nanos, Heap.ofProcess());

  private final Timer timer;
  private final Ticker ticker;
  private final LongSupplier collection;
  private final Heap heap;
  private volatile Alarm[] alarms = {};
  private LoopTimer.Stop stop = () -> {};

  /** Start of the calls of alarms that have not returned yet, or {@link #NOT_CALLING}. */
  private volatile long callingSince = NOT_CALLING;

  private long lastCheck;
  private long collectedAtLast;

  /** End of the time with frequent checks. */
  private volatile long oftenUntil;

  private long checkBefore;
  private long collectedBefore;
  private long usedAtLast;

  /** Usual rate of allocation, bytes per nanosecond. */
  private double usualRate;

  /** Nanoseconds over which the usual rate was learned. */
  private double learned;

  HeapWatch(Timer timer, Ticker ticker, LongSupplier collection, Heap heap) {
    this.timer = timer;
    this.ticker = ticker;
    this.collection = collection;
    this.heap = heap;
  }

  /** Returns the watch of this process. */
  public static HeapWatch ofProcess() {
    return OF_PROCESS;
  }

  /** Adds an alarm, until it is stopped. */
  public synchronized LoopTimer.Stop add(Alarm alarm) {
    if (alarms.length == 0) {
      lastCheck = ticker.nanoTime();
      collectedAtLast = collection.getAsLong();
      checkBefore = lastCheck;
      collectedBefore = collectedAtLast;
      oftenUntil = lastCheck + CALM;
      usedAtLast = heap.used();
      usualRate = 0;
      learned = 0;
      stop = timer.start(this::interval, this::check);
    }
    List<Alarm> more = new ArrayList<>(List.of(alarms));
    more.add(alarm);
    alarms = more.toArray(Alarm[]::new);
    return () -> remove(alarm);
  }

  private synchronized void remove(Alarm alarm) {
    List<Alarm> fewer = new ArrayList<>(List.of(alarms));
    if (fewer.remove(alarm) && fewer.isEmpty()) {
      stop.stop();
    }
    alarms = fewer.toArray(Alarm[]::new);
  }

  /**
   * Makes checks frequent while many tasks run, and restarts them if they hang in an alarm, for
   * example in a user's controller. Loops call it at each turn.
   *
   * @param last the last window of the loop, null for none
   */
  public void keepChecking(@Nullable Window last) {
    if (last != null && last.busy() > CROWD) {
      checkOften(Math.max(CALM, 2 * (last.end() - last.start())));
    }
    long since = callingSince;
    if (since != NOT_CALLING && ticker.nanoTime() - since > PATIENCE) {
      restart(since);
    }
  }

  private synchronized void restart(long hangingSince) {
    if (callingSince == hangingSince && alarms.length > 0) {
      stop.stop();
      stop = timer.start(this::interval, this::check);
      callingSince = NOT_CALLING;
    }
  }

  private long interval() {
    return ticker.nanoTime() - oftenUntil < 0 ? INTERVAL : RARE_INTERVAL;
  }

  /** Makes checks frequent for a time, nanoseconds. */
  private void checkOften(long nanos) {
    long until = ticker.nanoTime() + nanos;
    if (until - oftenUntil > 0) { // The shorter time may win a race, until the next turn.
      oftenUntil = until;
    }
  }

  /** Measures shares over two checks: in a shorter time a single pause would be a large share. */
  private void check() {
    long now = ticker.nanoTime();
    long collected = collection.getAsLong();
    long used = heap.used();
    double filling = 0;
    if (collected != collectedAtLast) {
      checkOften(CALM);
    }
    if (now > lastCheck && used >= usedAtLast) { // Otherwise a collection hides the allocation.
      filling = filling(now, used);
    }
    long usedBefore = usedAtLast;
    usedAtLast = used;
    long nanos = now - checkBefore;
    // Just after a collection a full heap may be half empty, but not at the check before as well.
    boolean roomy = heap.isHalfEmpty(Math.max(used, usedBefore));
    long collecting = roomy ? 0 : collected - collectedBefore;
    checkBefore = lastCheck;
    collectedBefore = collectedAtLast;
    lastCheck = now;
    collectedAtLast = collected;
    if (nanos <= 0 || (collecting < LEAST * nanos && filling < 1)) {
      return;
    }
    callingSince = now;
    Alarm[] all = alarms;
    for (int i = 0; i < all.length; i++) {
      all[i].filling((double) collecting / nanos, filling);
    }
    if (callingSince == now) { // Otherwise it hung, and another check has begun since.
      callingSince = NOT_CALLING;
    }
  }

  /** Learns the rate of allocation; returns the part of the free heap that it will take soon. */
  private double filling(long now, long used) {
    double nanos = now - lastCheck;
    double rate = (used - usedAtLast) / nanos;
    if (rate * 1e9 > BRISK * heap.most()) {
      checkOften(CALM);
    }
    boolean sudden = learned >= USUAL && rate > SUDDEN * usualRate;
    learned += nanos;
    usualRate += Math.min(1, nanos / Math.min(learned, USUAL)) * (rate - usualRate);
    return sudden ? rate * SOON / Math.max(1, heap.most() - used) : 0;
  }
}
