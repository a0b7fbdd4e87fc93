package io.poolkeeper.internal.executor;

import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.AdaptiveLimiter.Permit;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.internal.limiter.Gate;
import io.poolkeeper.internal.limiter.LimitMeter;
import io.poolkeeper.internal.limiter.PendingFuture;
import io.poolkeeper.internal.meter.HeldPermit;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A program for a virtual machine with a small heap: gives back a permit, and gives up a wait, for
 * the first time ever and without any memory. Prints what was thrown.
 */
final class FirstUse {

  /** Lengths of the arrays that fill the heap to the last word. */
  private static final int[] LENGTHS = {1 << 14, 1 << 7, 1};

  private static Object @Nullable [] chain;

  private FirstUse() {}

  public static void main(String[] arguments) throws Exception {
    AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("first")
            .bounds(1, 1)
            .mode(Mode.FROZEN)
            .window(Duration.ofDays(1))
            .jmx(false)
            .build();
    Permit permit = limiter.acquire();
    Gate gate = new Gate(1);
    LimitMeter meter = new LimitMeter(gate, System::nanoTime, Objective.throughput());
    boolean held = meter.tryEnter(holding());
    HeldPermit wanted = holding();
    PendingFuture<HeldPermit> pending =
        new PendingFuture<>(gate, meter, wanted, wanted, Runnable::run);
    var future = pending.join();
    IllegalStateException reason = new IllegalStateException("given up");
    Throwable thrown = null;
    fill();
    try {
      pending.accept(null, reason);
      permit.success();
    } catch (Throwable e) {
      thrown = e;
    }
    chain = null;
    System.out.printf(
        "held %b, done %b, thrown %s, in use %d, waiting %d%n",
        held, future.isDone(), thrown, limiter.inUse(), gate.waiting());
    Runtime.getRuntime().halt(0);
  }

  private static HeldPermit holding() {
    return new HeldPermit(new Object(), new ReferenceQueue<>(), 0, null);
  }

  private static void fill() {
    for (int length : LENGTHS) {
      try {
        while (true) {
          Object[] next = new Object[length];
          next[0] = chain;
          chain = next;
        }
      } catch (OutOfMemoryError e) {
        Thread.onSpinWait(); // Then the next smaller ones.
      }
    }
  }
}
