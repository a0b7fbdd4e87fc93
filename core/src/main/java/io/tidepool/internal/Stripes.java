package io.tidepool.internal;

import io.tidepool.spi.EndedTasks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Accumulators that many threads write at once and one thread collects.
 *
 * <p>Each stripe is guarded by a flag. A writer takes the first stripe it finds free, starting at
 * one that depends on the thread, and holds it for some tens of nanoseconds; it never blocks, and
 * it only spins when every stripe is being written at the same instant. There is one stripe until
 * two threads meet, then two, and so on up to twice the number of processors: a quiet pool costs
 * the memory of one stripe and nothing to merge.
 *
 * <p>Guarantees: every record is in exactly one window; a record that was written before the
 * collection began is in the window that it closes. Assumption: nothing in a guarded section blocks
 * or throws, which is why only this package may write there.
 */
final class Stripes {

  private static final VarHandle TAKEN;
  private static final VarHandle STRIPES;

  static {
    try {
      TAKEN = MethodHandles.lookup().findVarHandle(Stripe.class, "taken", boolean.class);
      STRIPES = MethodHandles.lookup().findVarHandle(Stripes.class, "stripes", Stripe[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** One accumulator. */
  static final class Stripe {
    @SuppressWarnings("unused") // through TAKEN
    private volatile boolean taken;

    EndedTasks interval = new EndedTasks();
    private EndedTasks spare = new EndedTasks();
    final Level queue;
    final Presence held = new Presence();
    final Presence waiting = new Presence();

    Stripe(long now) {
      queue = new Level(now);
    }

    private boolean tryEnter() {
      return !(boolean) TAKEN.getOpaque(this) && TAKEN.compareAndSet(this, false, true);
    }

    void exit() {
      TAKEN.setRelease(this, false);
    }
  }

  private static final int LARGEST =
      Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors());

  private @Nullable EndedTasks merged;
  private volatile Stripe[] stripes;

  Stripes(long now) {
    stripes = new Stripe[] {new Stripe(now)};
  }

  /** A stripe for this thread alone until it calls {@link Stripe#exit}. */
  Stripe enter(long now) {
    Stripe[] all = stripes;
    Stripe first = all[(int) Thread.currentThread().getId() & (all.length - 1)];
    return first.tryEnter() ? first : enterAnother(now);
  }

  private Stripe enterAnother(long now) {
    grow(now);
    for (int i = (int) Thread.currentThread().getId(); ; i++) {
      Stripe[] all = stripes;
      Stripe stripe = all[i & (all.length - 1)];
      if (stripe.tryEnter()) {
        return stripe;
      }
      Thread.onSpinWait();
    }
  }

  /** Doubles the stripes, up to the largest number; where two threads try, one of them does it. */
  private void grow(long now) {
    Stripe[] all = stripes;
    if (all.length < LARGEST) {
      Stripe[] more = Arrays.copyOf(all, 2 * all.length);
      for (int i = all.length; i < more.length; i++) {
        more[i] = new Stripe(now);
      }
      STRIPES.compareAndSet(this, all, more);
    }
  }

  /**
   * What was collected.
   *
   * @param interval valid until the next collection
   * @param queue waiting tasks, where they are sampled
   * @param held permits held, ever
   * @param waiting waiters for permits, ever
   */
  record Collected(EndedTasks interval, Level.Summary queue, Presence held, Presence waiting) {}

  /**
   * Takes everything recorded so far and begins anew.
   *
   * @param queued tasks waiting now
   */
  Collected collect(long now, int queued) {
    Stripe[] all = stripes;
    EndedTasks result = all.length > 1 ? emptyMerged() : all[0].interval;
    Level.Summary queue = Level.Summary.NONE;
    Presence held = new Presence();
    Presence waiting = new Presence();
    for (Stripe stripe : all) {
      stripe.spare.reset();
      while (!stripe.tryEnter()) {
        // The writer may have lost its processor in the guarded section.
        LockSupport.parkNanos(1_000);
      }
      EndedTasks full = stripe.interval;
      stripe.interval = stripe.spare;
      stripe.spare = full;
      queue = queue.and(stripe.queue.close(now, queued));
      held.add(stripe.held);
      waiting.add(stripe.waiting);
      stripe.exit();
      if (all.length > 1) {
        result.add(full);
      }
    }
    return new Collected(result, queue, held, waiting);
  }

  private EndedTasks emptyMerged() {
    EndedTasks empty = merged;
    if (empty == null) {
      empty = new EndedTasks();
      merged = empty;
    } else {
      empty.reset();
    }
    return empty;
  }
}
