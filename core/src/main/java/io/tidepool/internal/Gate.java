package io.tidepool.internal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A fair semaphore whose number of permits can change, for threads and for callbacks.
 *
 * <p>One number holds the free permits (below zero after the limit was lowered under the permits in
 * use) and the waiters. While nobody waits, entering is one compare-and-set and leaving is one
 * addition. Waiters stand in a queue under a lock that only they, those who let them in, and
 * changes of the limit take; a permit goes straight from who leaves to who has waited longest.
 *
 * <p>Invariants: free + held = limit, except inside {@link #limit(int)}. Waiters in the number =
 * waiters in the queue, changed together under the lock. A waiter joins by one change of the number
 * that finds no permit for it, so whoever makes one free later finds the waiter in the number, and
 * serves it.
 */
public final class Gate {

  /** Somebody in the queue. */
  public interface Waiter {
    /** Holds a permit from now on. Called once, outside the lock; must not throw. */
    void admitted();
  }

  private static final long ONE_WAITER = 1L << 32;

  /** Added to the free permits, so that they never borrow from the waiters. */
  private static final long BIAS = 1L << 31;

  private static final long FREE_BITS = ONE_WAITER - 1;

  private final PaddedLong state;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashSet<Waiter> queue = new LinkedHashSet<>();
  private int mostWaiting;
  private volatile int limit;

  /**
   * @param limit permits, 1 or more
   */
  public Gate(int limit) {
    this.limit = limit;
    this.state = new PaddedLong(BIAS + limit);
  }

  /** Takes a permit if one is free and nobody waits for it. */
  public boolean tryEnter() {
    while (true) {
      long seen = state.get();
      if (waiting(seen) > 0 || free(seen) <= 0) {
        return false;
      }
      if (state.compareAndSet(seen, seen - 1)) {
        return true;
      }
    }
  }

  /** Joins the queue for a permit, or is admitted at once if by now nobody waits for a free one. */
  public void join(Waiter waiter) {
    boolean admitted;
    lock.lock();
    try {
      admitted = takeOrWait();
      if (!admitted) {
        queue.add(waiter);
        mostWaiting = Math.max(mostWaiting, queue.size());
      }
    } finally {
      lock.unlock();
    }
    if (admitted) {
      waiter.admitted();
    }
  }

  /** Takes a permit, or puts a waiter into the number; returns whether it took a permit. */
  private boolean takeOrWait() {
    while (true) {
      long seen = state.get();
      boolean takes = waiting(seen) == 0 && free(seen) > 0;
      if (state.compareAndSet(seen, takes ? seen - 1 : seen + ONE_WAITER)) {
        return takes;
      }
    }
  }

  /**
   * Leaves the queue.
   *
   * @return false if the waiter holds a permit already, or is about to be told so
   */
  public boolean giveUp(Waiter waiter) {
    lock.lock();
    try {
      boolean waited = queue.remove(waiter);
      if (waited) {
        state.getAndAdd(-ONE_WAITER);
      }
      return waited;
    } finally {
      lock.unlock();
    }
  }

  /** Gives a permit back, to who has waited longest if anybody waits. */
  public void leave() {
    if (waiting(state.getAndAdd(1)) > 0) {
      serve();
    }
  }

  /** Changes the number of permits; waiters that it makes room for are let in before it returns. */
  public void limit(int limit) {
    lock.lock();
    try {
      int more = limit - this.limit;
      this.limit = limit;
      state.getAndAdd(more);
    } finally {
      lock.unlock();
    }
    serve();
  }

  /** Number of permits, free or held. */
  public int limit() {
    return limit;
  }

  /** Permits in use now. */
  public int held() {
    lock.lock(); // Against a change of the limit between the two readings.
    try {
      return limit - free(state.get());
    } finally {
      lock.unlock();
    }
  }

  /** Waiters now. */
  public int waiting() {
    return waiting(state.get());
  }

  /** Most waiters at a time since the last call. */
  public int takeMostWaiting() {
    lock.lock();
    try {
      int most = mostWaiting;
      mostWaiting = queue.size();
      return most;
    } finally {
      lock.unlock();
    }
  }

  /** Free permits in a state; negative after the limit was lowered under those in use. */
  private static int free(long state) {
    return (int) ((state & FREE_BITS) - BIAS);
  }

  private static int waiting(long state) {
    return (int) (state >>> 32);
  }

  /** Lets in as many waiters as there are free permits, the longest waiting first. */
  private void serve() {
    List<Waiter> admitted = new ArrayList<>();
    lock.lock();
    try {
      Iterator<Waiter> waiters = queue.iterator();
      while (waiters.hasNext() && takeForWaiter()) {
        admitted.add(waiters.next());
        waiters.remove();
      }
    } finally {
      lock.unlock();
    }
    // Outside the lock: code of the user may run here.
    admitted.forEach(Waiter::admitted);
  }

  /** Takes a free permit for a waiter, and the waiter out of the number. */
  private boolean takeForWaiter() {
    while (true) {
      long seen = state.get();
      if (free(seen) <= 0) {
        return false;
      }
      if (state.compareAndSet(seen, seen - 1 - ONE_WAITER)) {
        return true;
      }
    }
  }
}
