package io.poolkeeper.internal.heap;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Resizable;
import io.poolkeeper.spi.Ticker;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Shrinks a pool between windows if its controller asks for it because the heap fills up. Allocates
 * nothing, see {@link Controller#relieve}.
 *
 * <p>The watch of the heap asks while the loop may be in a turn: in a full heap a turn that began
 * in time stands still for seconds, since it needs memory. So asking does not wait for the turn. A
 * decision on a window from before a fall does not undo it. Methods that do not say so are for the
 * turn of the loop.
 */
public final class HeapRelief {

  /** Shortest time over which the share of garbage collection is measured, nanoseconds. */
  private static final long SHORTEST = 150_000_000;

  /**
   * Nanoseconds after growth in which the new workers begin their first tasks, all at once. Then a
   * sudden rise of allocation is normal.
   */
  private static final long BEGINNING = 500_000_000;

  /** Least ratio of a size to the one before at which new workers count for much. */
  private static final double GROWN = 1.25;

  private final Resizable pool;
  private final Controller controller;
  private final Ticker ticker;
  private final BooleanSupplier stopped;
  private final Supplier<Bounds> allowed;
  private final boolean concurrent;
  private final Heap heap;

  /** Held while the pool is asked to fall, and while a step resizes it unless that may overlap. */
  private final ReentrantLock resizing = new ReentrantLock();

  private long askedAt;
  private long collectedBefore;
  private volatile long grewAt;

  // Written with the lock held.
  private volatile int fallenFrom;
  private volatile int fallenTo;
  private final AtomicInteger falls = new AtomicInteger();

  /** Falls that the step being made reports. */
  private int fallsReported;

  /**
   * @param ticker clock of the loop
   * @param stopped whether the pool must not be resized: it may be frozen, or its loop closed
   * @param allowed sizes that the pool may have
   * @param concurrent whether the pool may be asked for a smaller size while it grows: starting
   *     workers takes memory, too
   */
  public HeapRelief(
      Resizable pool,
      Controller controller,
      Ticker ticker,
      BooleanSupplier stopped,
      Supplier<Bounds> allowed,
      boolean concurrent) {
    this(pool, controller, ticker, stopped, allowed, concurrent, Heap.ofProcess());
  }

  HeapRelief(
      Resizable pool,
      Controller controller,
      Ticker ticker,
      BooleanSupplier stopped,
      Supplier<Bounds> allowed,
      boolean concurrent,
      Heap heap) {
    this.pool = pool;
    this.controller = controller;
    this.ticker = ticker;
    this.stopped = stopped;
    this.allowed = allowed;
    this.concurrent = concurrent;
    this.heap = heap;
    this.askedAt = ticker.nanoTime();
    this.grewAt = askedAt - BEGINNING;
    this.collectedBefore = CollectionTime.nanos();
  }

  /** Asks the controller about the time since the last call, unless that is too short. */
  public void ask() {
    long now = ticker.nanoTime();
    long length = now - askedAt;
    if (length >= SHORTEST) { // In a shorter time a single pause would be a large share.
      long collected = CollectionTime.nanos();
      long collecting = collected - collectedBefore;
      askedAt = now;
      collectedBefore = collected;
      if (!heap.isHalfEmpty(heap.used())) {
        ask((double) collecting / length, 0);
      }
    }
  }

  /**
   * Asks the controller about a heap that fills up, unless the pool must not be resized or is just
   * being resized. Any thread may call it.
   *
   * @param collecting see {@link Controller#relieve}
   * @param filling see {@link Controller#relieve}
   */
  public void ask(double collecting, double filling) {
    if (stopped.getAsBoolean() || !resizing.tryLock()) {
      return; // It is called again soon.
    }
    try {
      int size = pool.size();
      double unexpected = grewJustNow() ? 0 : filling;
      int wanted =
          Math.max(allowed.get().minimum(), controller.relieve(size, collecting, unexpected));
      if (wanted < size) {
        fall(size, wanted);
      }
    } finally {
      resizing.unlock();
    }
  }

  private void fall(int size, int wanted) {
    try {
      pool.resize(wanted);
    } finally { // It may have shrunk and then found no memory.
      if (pool.size() < size) {
        fallenTo = wanted;
        fallenFrom = Math.max(fallenFrom, size);
        falls.incrementAndGet();
      }
    }
  }

  /** Returns the number of falls so far; {@link #resize} takes it. */
  public int falls() {
    return falls.get();
  }

  /**
   * Applies a decision. If the pool has fallen since the window of the decision was closed, it gets
   * no more workers than it has.
   *
   * @param fallsBefore {@link #falls} before the window was closed
   */
  public void resize(int wanted, int fallsBefore) {
    if (concurrent) {
      resizeUnlessFallen(wanted, fallsBefore);
      return;
    }
    resizing.lock();
    try {
      resizeUnlessFallen(wanted, fallsBefore);
    } finally {
      resizing.unlock();
    }
  }

  private void resizeUnlessFallen(int wanted, int fallsBefore) {
    if (falls.get() == fallsBefore || wanted < pool.size()) {
      pool.resize(wanted);
    }
    int fallen = fallenTo;
    boolean overtaken = falls.get() != fallsBefore && fallen < pool.size();
    if (overtaken && fallen < wanted) { // It fell between the look and the resize, or in it.
      pool.resize(fallen);
    }
  }

  /** Records a step of the loop: growth explains a sudden rise of allocation for a moment. */
  public void stepped(int before, int after) {
    if (after >= GROWN * before) {
      grewAt = ticker.nanoTime();
    }
  }

  private boolean grewJustNow() {
    long since = ticker.nanoTime() - grewAt;
    return since >= 0 && since < BEGINNING; // A clock may go back.
  }

  /**
   * Returns the size before the pool shrank, for the step being made; 0 if it has not shrunk since
   * the last report.
   */
  public int fallenFrom() {
    fallsReported = falls.get();
    return fallenFrom;
  }

  /** Records that listeners receive a step that reports the fall. */
  public void reported() {
    if (resizing.tryLock()) { // Otherwise the next step reports it again.
      try {
        fallenFrom = falls.get() == fallsReported ? 0 : fallenFrom;
      } finally {
        resizing.unlock();
      }
    }
  }
}
