package io.poolkeeper.internal.heap;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Resizable;
import io.poolkeeper.spi.Ticker;
import java.util.function.Supplier;

/**
 * Shrinks a pool between windows if its controller asks for it because the heap fills up. Allocates
 * nothing, see {@link Controller#relieve}. Not thread-safe.
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
  private final Supplier<Bounds> allowed;
  private long askedAt;
  private long collectedBefore;
  private long grewAt;
  private int fallenFrom;

  /**
   * @param ticker clock of the loop
   * @param allowed sizes that the pool may have
   */
  public HeapRelief(
      Resizable pool, Controller controller, Ticker ticker, Supplier<Bounds> allowed) {
    this.pool = pool;
    this.controller = controller;
    this.ticker = ticker;
    this.allowed = allowed;
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
      ask((double) collecting / length, 0);
    }
  }

  /**
   * Asks the controller about a heap that fills up.
   *
   * @param collecting see {@link Controller#relieve}
   * @param filling see {@link Controller#relieve}
   */
  public void ask(double collecting, double filling) {
    int size = pool.size();
    double unexpected = grewJustNow() ? 0 : filling;
    int wanted =
        Math.max(allowed.get().minimum(), controller.relieve(size, collecting, unexpected));
    if (wanted < size) {
      try {
        pool.resize(wanted);
      } finally { // It may have shrunk and then found no memory.
        if (pool.size() < size) {
          fallenFrom = Math.max(fallenFrom, size);
        }
      }
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

  /** Returns the size before the pool shrank; 0 if it has not shrunk since the last report. */
  public int fallenFrom() {
    return fallenFrom;
  }

  /** Records that listeners receive a step that reports the fall. */
  public void reported() {
    fallenFrom = 0;
  }
}
