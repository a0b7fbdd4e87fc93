package io.poolkeeper.internal.limiter;

import io.poolkeeper.internal.meter.HeldPermit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A thread that waits for a permit. It allocates only when created. */
public final class BlockedThread extends Gate.Waiter {

  private static final int WAITING = 0;
  private static final int ADMITTED = 1;
  private static final int TIMED_OUT = 2;
  private static final int INTERRUPTED = 3;

  private final Gate gate;
  private final LimitMeter meter;
  private final HeldPermit permit;
  private final Thread thread = Thread.currentThread();
  private final AtomicInteger state = new AtomicInteger(WAITING);

  /** Makes a waiter of the calling thread. */
  public BlockedThread(Gate gate, LimitMeter meter, HeldPermit permit) {
    this.gate = gate;
    this.meter = meter;
    this.permit = permit;
  }

  /**
   * Joins the queue and waits for a permit.
   *
   * @param nanos longest wait; {@link Long#MAX_VALUE} for ever
   * @return whether the permit is held
   * @throws InterruptedException if the thread is interrupted; no permit is held then
   */
  public boolean await(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    meter.waits(permit);
    gate.join(this, permit.asked());
    try {
      while (state.get() == WAITING) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        long left = nanos - (System.nanoTime() - start);
        if (nanos == Long.MAX_VALUE) {
          LockSupport.park(gate);
        } else if (left > 0) {
          LockSupport.parkNanos(gate, left);
        } else {
          return !leave(TIMED_OUT);
        }
      }
      return true;
    } catch (Throwable e) { // A virtual thread may find no memory to park.
      if (!leave(INTERRUPTED)) {
        meter.ignored(permit, false);
      }
      throw e;
    }
  }

  /** Leaves the queue; false if the permit came first. */
  private boolean leave(int reason) {
    if (gate.giveUp(this)) {
      meter.gaveUp(permit, reason == TIMED_OUT);
      return true;
    }
    // A thread that grants the permit now returns it if it is too late.
    return state.compareAndSet(WAITING, reason);
  }

  @Override
  protected void admitted(long at) {
    meter.admitted(permit, at);
    if (state.compareAndSet(WAITING, ADMITTED)) {
      LockSupport.unpark(thread);
    } else {
      meter.ignored(permit, state.get() == TIMED_OUT);
    }
  }
}
