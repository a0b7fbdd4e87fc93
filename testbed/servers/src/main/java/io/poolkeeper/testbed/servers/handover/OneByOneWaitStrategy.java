package io.poolkeeper.testbed.servers.handover;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes one waiting handler for each event, the one that has waited longest. The strategies of the
 * library wake all, since each handler of theirs has something to do with each event; here one
 * claims it, and the others would wake for nothing: with 64 handlers, 63 of them for each request.
 *
 * <p>Nothing waits while a handler does: an event that is published wakes one, unless all are at
 * work, and those look for further events before they wait.
 */
final class OneByOneWaitStrategy implements WaitStrategy {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition published = lock.newCondition();

  @Override
  public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
      throws AlertException, InterruptedException {
    if (cursor.get() < sequence) {
      lock.lock();
      try {
        while (cursor.get() < sequence) {
          barrier.checkAlert();
          published.await();
        }
      } finally {
        lock.unlock();
      }
    }
    // No handler depends on another one: what is published is available.
    return dependent.get();
  }

  /** Called by the ring after each event. */
  @Override
  public void signalAllWhenBlocking() {
    lock.lock();
    try {
      published.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Wakes all, so that one that was told to end sees it. */
  void wakeAll() {
    lock.lock();
    try {
      published.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
