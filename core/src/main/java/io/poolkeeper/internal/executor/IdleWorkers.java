package io.poolkeeper.internal.executor;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The searching and the sleeping workers of a queue. The worker that fell asleep last is woken
 * first: its caches are warm, and the others may stay idle long enough to leave.
 *
 * <p>Each change happens under the lock and takes no memory. {@link LinkedWorkQueue} documents the
 * order of the changes.
 */
final class IdleWorkers {

  private volatile int searching;
  private volatile int asleep;
  private @Nullable Worker newest;

  /** A worker begins to search. */
  synchronized void search() {
    searching++;
  }

  /** A worker ends its search; the caller must check the queue afterwards. */
  synchronized void searched() {
    searching--;
  }

  /** A searching worker is about to sleep; it must check the queue before. */
  synchronized void sleep(Worker worker) {
    worker.older = newest;
    newest = worker;
    worker.asleep = true;
    asleep++;
    searching--;
  }

  /** A worker searches again, woken or not. */
  synchronized void wake(Worker worker) {
    if (!worker.asleep) {
      return;
    }
    newest = Worker.without(worker, newest);
    searches(worker);
  }

  /** Wakes a worker if none is searching. */
  void wakeUnlessSearching() {
    if (searching == 0 && asleep > 0) {
      Worker woken = next();
      if (woken != null) {
        LockSupport.unpark(woken.thread());
      }
    }
  }

  private synchronized @Nullable Worker next() {
    Worker next = newest;
    if (searching > 0 || next == null) {
      return null;
    }
    newest = next.older;
    searches(next);
    return next;
  }

  /** Wakes all sleeping workers. */
  synchronized void wakeAll() {
    for (Worker each = newest; each != null; ) {
      Worker older = each.older;
      searches(each);
      LockSupport.unpark(each.thread());
      each = older;
    }
    newest = null;
  }

  private synchronized void searches(Worker worker) {
    worker.older = null;
    worker.asleep = false;
    asleep--;
    searching++;
  }

  /** Returns the number of sleeping workers. */
  int asleep() {
    return asleep;
  }
}
