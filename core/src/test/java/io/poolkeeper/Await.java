package io.poolkeeper;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for other threads. The limit only ends a test that hangs: a busy machine is slow. */
public final class Await {

  private static final long PATIENCE_SECONDS = 300;

  private Await() {}

  /** Waits until {@code condition} holds. */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        fail("waited in vain until " + what);
      }
      LockSupport.parkNanos(100_000);
    }
  }

  /** Does work on another thread, and waits for its end. */
  public static void elsewhere(Runnable work) {
    Thread thread = new Thread(work, "elsewhere");
    thread.setDaemon(true);
    thread.start();
    until("the work on another thread is done", () -> !thread.isAlive());
  }

  /** Waits for {@code latch}; the wait of a task that is interrupted goes on as an interrupt. */
  public static void latch(CountDownLatch latch) {
    try {
      if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        fail("waited in vain for a latch");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
