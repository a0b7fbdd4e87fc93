package io.poolkeeper.internal;

import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Looks at garbage collection more often than windows close, once for all loops of the process: two
 * hundred tasks that need more memory than there is fill the heap in a fifth of a second, and from
 * then on none of them ends. Loops hear of it only while much of the time goes into garbage
 * collection. Looks allocate nothing.
 *
 * <p>A look costs a microsecond, but to wake a thread for it costs a hundred. So while nothing is
 * collected looks are rare.
 */
public final class HeapWatch {

  /** Told of a heap that fills up. It must not throw. */
  @FunctionalInterface
  public interface Alarm {

    /**
     * Takes what the latest looks have seen.
     *
     * @param nanos that passed
     * @param collecting nanoseconds of these in which garbage collection held up the process
     */
    void filling(long nanos, long collecting);
  }

  /** Calls at an interval that may change; see {@link SharedTimer}. */
  @FunctionalInterface
  interface Timer {
    /** Starts calling {@code tick}, {@code interval} nanoseconds after each call. */
    LoopTimer.Stop start(String name, LongSupplier interval, Runnable tick);
  }

  private static final long INTERVAL = 50_000_000;

  /** The same while nothing is collected. */
  private static final long RARE_INTERVAL = 250_000_000;

  /** Nanoseconds without a collection after which looks become rare. */
  private static final long CALM = 1_000_000_000;

  /** Nanoseconds after which an alarm that has not returned is passed by. */
  private static final long PATIENCE = 2_000_000_000;

  /** Share of the time in garbage collection below which nobody is asked. */
  private static final double LEAST = 0.2;

  private static final long NOT_TELLING = Long.MIN_VALUE;

  private static final HeapWatch OF_PROCESS =
      new HeapWatch(SharedTimer.ofProcess()::start, Ticker.system(), CollectionTime::nanos);

  private final Timer timer;
  private final Ticker ticker;
  private final LongSupplier collection;
  private volatile Alarm[] alarms = {};
  private LoopTimer.Stop stop = () -> {};

  /** When the alarms were told whose call has not returned yet, or {@link #NOT_TELLING}. */
  private volatile long tellingSince = NOT_TELLING;

  private long lastLook;
  private long collectedAtLast;
  private volatile long collectedAt;
  private long lookBefore;
  private long collectedBefore;

  HeapWatch(Timer timer, Ticker ticker, LongSupplier collection) {
    this.timer = timer;
    this.ticker = ticker;
    this.collection = collection;
  }

  /** The one that loops use. */
  public static HeapWatch ofProcess() {
    return OF_PROCESS;
  }

  /** Tells {@code alarm} from now on, until it is stopped. */
  public synchronized LoopTimer.Stop add(Alarm alarm) {
    if (alarms.length == 0) {
      lastLook = ticker.nanoTime();
      collectedAtLast = collection.getAsLong();
      lookBefore = lastLook;
      collectedBefore = collectedAtLast;
      collectedAt = lastLook;
      stop = timer.start("heap watch", this::interval, this::look);
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
   * Looks anew where the looks hang in somebody's alarm, a user's controller for example. Loops
   * call it at each of their turns.
   */
  public void keepLooking() {
    long since = tellingSince;
    if (since != NOT_TELLING && ticker.nanoTime() - since > PATIENCE) {
      restart(since);
    }
  }

  private synchronized void restart(long hangingSince) {
    if (tellingSince == hangingSince && alarms.length > 0) {
      stop.stop();
      stop = timer.start("heap watch", this::interval, this::look);
      tellingSince = NOT_TELLING;
    }
  }

  private long interval() {
    return ticker.nanoTime() - collectedAt < CALM ? INTERVAL : RARE_INTERVAL;
  }

  /** Shares are taken over two looks: of a shorter time a single pause would be a large part. */
  private void look() {
    long now = ticker.nanoTime();
    long collected = collection.getAsLong();
    if (collected != collectedAtLast) {
      collectedAt = now;
    }
    long nanos = now - lookBefore;
    long collecting = collected - collectedBefore;
    lookBefore = lastLook;
    collectedBefore = collectedAtLast;
    lastLook = now;
    collectedAtLast = collected;
    if (nanos <= 0 || collecting < LEAST * nanos) {
      return;
    }
    tellingSince = now;
    Alarm[] all = alarms;
    for (int i = 0; i < all.length; i++) {
      all[i].filling(nanos, collecting);
    }
    if (tellingSince == now) { // Or it hung, and another look has begun since.
      tellingSince = NOT_TELLING;
    }
  }
}
