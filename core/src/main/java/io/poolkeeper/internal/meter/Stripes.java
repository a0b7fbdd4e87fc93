package io.poolkeeper.internal.meter;

import io.poolkeeper.Objective;
import io.poolkeeper.spi.EndedTasks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
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
 * collection began is in the window that it closes. Progress: a thread that needs a certain stripe
 * ({@link Lane#enterNext}) waits for the writer inside and for no later one, so a collection ends
 * however busy the writers are. Assumption: nothing in a guarded section blocks, which is why only
 * this package may write there.
 */
public final class Stripes {

  private static final VarHandle STRIPES;

  static {
    try {
      STRIPES = MethodHandles.lookup().findVarHandle(Stripes.class, "stripes", Stripe[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int LARGEST =
      Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors());

  private final Objective objective;
  private @Nullable EndedTasks merged;
  private volatile Stripe[] stripes;

  /**
   * @param objective its percentile is measured as well as the usual ones
   */
  public Stripes(long now, Objective objective) {
    this.objective = objective;
    stripes = new Stripe[] {new Stripe(now, objective)};
  }

  /** Enters a stripe, which belongs to this thread until it calls {@link Lane#exit}. */
  public Stripe enter(long now) {
    Stripe[] all = stripes;
    Stripe first = all[(int) Thread.currentThread().getId() & (all.length - 1)];
    return first.tryEnter() ? first : enterAnother(now);
  }

  private Stripe enterAnother(long now) {
    grow(now);
    int first = (int) Thread.currentThread().getId();
    for (int tries = 0; ; tries++) {
      Stripe[] all = stripes;
      Stripe stripe = all[(first + tries) & (all.length - 1)];
      if (stripe.tryEnter()) {
        return stripe;
      }
      Lane.pause(tries);
    }
  }

  /** Doubles the number of stripes, up to the largest; of two threads that try, one succeeds. */
  private void grow(long now) {
    Stripe[] all = stripes;
    if (all.length < LARGEST) {
      try {
        Stripe[] more = Arrays.copyOf(all, 2 * all.length);
        for (int i = all.length; i < more.length; i++) {
          more[i] = new Stripe(now, objective);
        }
        STRIPES.compareAndSet(this, all, more);
      } catch (OutOfMemoryError e) {
        return; // The present stripes suffice, and the caller may hold a permit and must not fail.
      }
    }
  }

  /** Returns the present stripes. */
  public Stripe[] all() {
    return stripes;
  }

  /**
   * Records collected from all stripes.
   *
   * @param interval valid until the next collection
   * @param queue level of the waiting tasks, if sampled
   * @param tally counts of a limit since its beginning
   */
  public record Collected(EndedTasks interval, Level.Summary queue, Tally tally) {}

  /**
   * Takes everything recorded since the last call.
   *
   * @param queued tasks waiting now
   */
  public Collected collect(long now, int queued) {
    Stripe[] all = stripes;
    EndedTasks result = all.length > 1 ? emptyMerged() : all[0].interval;
    Level.Summary queue = Level.Summary.NONE;
    Tally tally = new Tally();
    for (Stripe stripe : all) {
      stripe.spare.reset();
      stripe.enterNext();
      EndedTasks full = stripe.interval;
      try {
        stripe.interval = stripe.spare;
        stripe.spare = full;
        tally.add(stripe.tally);
        queue = queue.and(stripe.queue.close(now, queued));
      } finally { // The summary may find no memory.
        stripe.exit();
      }
      if (all.length > 1) {
        result.add(full);
      }
    }
    return new Collected(result, queue, tally);
  }

  private EndedTasks emptyMerged() {
    EndedTasks empty = merged;
    if (empty == null) {
      empty = new EndedTasks(objective);
      merged = empty;
    } else {
      empty.reset();
    }
    return empty;
  }
}
