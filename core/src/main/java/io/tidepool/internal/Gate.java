package io.tidepool.internal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A fair semaphore whose number of permits can change, for threads and for callbacks.
 *
 * <p>One number holds the free permits (below zero after the limit was lowered under the permits in
 * use) and the waiters. While nobody waits, entering is one compare-and-set and leaving is one
 * addition. Waiters stand in a queue under a lock that only they, those who let them in, and
 * changes of the limit take; a permit goes straight from who leaves to who has waited longest.
 *
 * <p>Invariants: free + held = limit, except inside {@link #limit(int)}. Waiters in the number =
 * waiters in the queue, changed together under the lock. Whoever makes a permit free while the
 * number shows waiters serves them, and a waiter that joins looks for free permits after it joined;
 * both are changes of the same number, so one of the two sees the other and no waiter is forgotten.
 */
public final class Gate {

  private static final long ONE_WAITER = 1L << 32;

  /** Added to the free permits, so that they never borrow from the waiters. */
  private static final long BIAS = 1L << 31;

  private static final long FREE_BITS = ONE_WAITER - 1;

  private final AtomicLong state;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashSet<Waiter<?>> queue = new LinkedHashSet<>();
  private volatile int limit;

  /**
   * @param limit permits, 1 or more
   */
  public Gate(int limit) {
    this.limit = limit;
    this.state = new AtomicLong(BIAS + limit);
  }

  /** Takes a permit if one is free and nobody waits for it. */
  public boolean tryEnter() {
    long seen = state.get();
    while (waiting(seen) == 0 && free(seen) > 0) {
      if (state.compareAndSet(seen, seen - 1)) {
        return true;
      }
      seen = state.get();
    }
    return false;
  }

  /**
   * Joins the queue for a permit.
   *
   * @param permit makes what the waiter gets, when it is let in
   * @param executor completes the future, and so runs what depends on it
   * @return completes when a permit is held; whoever completes it otherwise leaves the queue
   */
  public <T> CompletableFuture<T> enter(Supplier<T> permit, Executor executor) {
    Waiter<T> waiter = new Waiter<>(permit, executor);
    lock.lock();
    try {
      queue.add(waiter);
      state.addAndGet(ONE_WAITER);
    } finally {
      lock.unlock();
    }
    var unused = waiter.place.whenComplete((held, gaveUp) -> forget(waiter));
    serve();
    return waiter.place;
  }

  /**
   * Gives a permit back.
   *
   * @return the state before, for {@link #free(long)} and {@link #waiting(long)}
   */
  public long leave() {
    long before = state.getAndAdd(1);
    if (waiting(before) > 0) {
      serve();
    }
    return before;
  }

  /** Changes the number of permits; waiters that it makes room for are let in before it returns. */
  public void limit(int limit) {
    lock.lock();
    try {
      int more = limit - this.limit;
      this.limit = limit;
      state.addAndGet(more);
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
    return limit - free(state.get());
  }

  /** Waiters now. */
  public int waiting() {
    return waiting(state.get());
  }

  /** Free permits in a state; negative after the limit was lowered under those in use. */
  public static int free(long state) {
    return (int) ((state & FREE_BITS) - BIAS);
  }

  /** Waiters in a state. */
  public static int waiting(long state) {
    return (int) (state >>> 32);
  }

  /** Lets in as many waiters as there are free permits, the longest waiting first. */
  private void serve() {
    List<Waiter<?>> admitted = new ArrayList<>();
    lock.lock();
    try {
      Iterator<Waiter<?>> waiters = queue.iterator();
      while (waiters.hasNext() && takeForWaiter()) {
        admitted.add(waiters.next());
        waiters.remove();
      }
    } finally {
      lock.unlock();
    }
    // Outside the lock: what depends on a waiter's future may run here.
    admitted.forEach(Waiter::admit);
  }

  /** Takes a free permit for a waiter, and the waiter out of the number. */
  private boolean takeForWaiter() {
    long seen = state.get();
    while (free(seen) > 0) {
      if (state.compareAndSet(seen, seen - 1 - ONE_WAITER)) {
        return true;
      }
      seen = state.get();
    }
    return false;
  }

  private void forget(Waiter<?> waiter) {
    lock.lock();
    try {
      if (queue.remove(waiter)) {
        state.addAndGet(-ONE_WAITER);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Somebody in the queue. */
  private final class Waiter<T> {
    private final Supplier<T> permit;
    private final Executor executor;
    private final CompletableFuture<T> place = new CompletableFuture<>();

    Waiter(Supplier<T> permit, Executor executor) {
      this.permit = permit;
      this.executor = executor;
    }

    /** Hands over a permit that was taken for this waiter; one that has given up returns it. */
    void admit() {
      try {
        executor.execute(this::complete);
      } catch (RuntimeException e) { // The executor is shut down, or full.
        place.completeExceptionally(e);
        leave();
      }
    }

    private void complete() {
      if (!place.complete(permit.get())) {
        leave();
      }
    }
  }
}
