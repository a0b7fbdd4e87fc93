package io.poolkeeper.testkit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** A task that may run many times at once; each run lasts until all are let go. */
public final class HeldTask implements Runnable {

  private final CountDownLatch end = new CountDownLatch(1);
  private final Semaphore begun = new Semaphore(0);

  /** A task that is held. */
  public HeldTask() {}

  @Override
  public void run() {
    begun.release();
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits until so many more runs have begun.
   *
   * @throws AssertionError if they do not within five minutes
   */
  public void awaitBegun(int runs) {
    Conditions.await(() -> runs + " more runs begin", () -> begun.tryAcquire(runs));
  }

  /** Ends all runs, and those that begin later. */
  public void letGo() {
    end.countDown();
  }
}
