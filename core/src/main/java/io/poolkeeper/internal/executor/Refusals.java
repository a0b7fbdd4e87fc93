package io.poolkeeper.internal.executor;

import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counter of refused tasks. A rejection policy may still get a task into the pool, by waiting or by
 * making room: then the task is an arrival and no rejection.
 */
public final class Refusals {

  /** A task that a policy handles on this thread. */
  private static final class Refusal {
    private final Refusals owner;
    private final Runnable task;
    private final @Nullable Refusal outer;
    private boolean takenAfterAll;

    Refusal(Refusals owner, Runnable task, @Nullable Refusal outer) {
      this.owner = owner;
      this.task = task;
      this.outer = outer;
    }

    boolean isOf(Refusals owner, Runnable task) {
      return this.owner == owner && this.task == task;
    }
  }

  private static final ThreadLocal<@Nullable Refusal> CURRENT = new ThreadLocal<>();

  private final PoolMeter meter;
  private final AtomicInteger open = new AtomicInteger();

  public Refusals(PoolMeter meter) {
    this.meter = meter;
  }

  /**
   * Lets a policy handle a task, and counts a rejection unless the pool accepts it meanwhile.
   *
   * @param pool passed to the policy
   */
  public void handle(Runnable task, RejectedExecutionHandler policy, ThreadPoolExecutor pool) {
    Refusal outer = CURRENT.get();
    if (outer != null && outer.isOf(this, task)) {
      // The policy offered it again, and there was no room yet.
      policy.rejectedExecution(task, pool);
      return;
    }
    Refusal refusal = new Refusal(this, task, outer);
    open.incrementAndGet();
    try {
      CURRENT.set(refusal);
      policy.rejectedExecution(task, pool);
    } finally {
      open.decrementAndGet();
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
      if (!refusal.takenAfterAll) {
        meter.rejected();
      }
    }
  }

  /** Records that the pool has accepted a task. */
  public void taken(Runnable task) {
    if (open.getPlain() != 0) {
      for (Refusal each = CURRENT.get(); each != null; each = each.outer) {
        each.takenAfterAll |= each.isOf(this, task);
      }
    }
  }
}
