package io.poolkeeper.internal.limiter;

import io.poolkeeper.internal.limiter.Gate.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * First-in, first-out queue whose nodes are the waiters themselves, so that it allocates nothing
 * and any waiter can leave. A waiter is in one queue at a time. Not thread-safe.
 */
final class WaiterQueue {

  private @Nullable Waiter first;
  private @Nullable Waiter last;
  private int size;

  void add(Waiter waiter) {
    waiter.queue = this;
    waiter.previous = last;
    if (last == null) {
      first = waiter;
    } else {
      last.next = waiter;
    }
    last = waiter;
    size++;
  }

  /** Removes the first waiter; not for an empty queue. */
  Waiter remove() {
    Waiter waiter = first;
    if (waiter == null) {
      throw new IllegalStateException("the queue is empty");
    }
    remove(waiter);
    return waiter;
  }

  /** Removes a waiter; returns whether it was in this queue. */
  boolean remove(Waiter waiter) {
    if (waiter.queue != this) {
      return false;
    }
    Waiter before = waiter.previous;
    Waiter after = waiter.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    waiter.previous = null;
    waiter.next = null;
    waiter.queue = null;
    size--;
    return true;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }
}
