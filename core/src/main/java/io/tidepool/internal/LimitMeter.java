package io.tidepool.internal;

import io.tidepool.Objective;
import io.tidepool.Window;

/**
 * What happens at a limit: every permit and every wait is timed. A permit is taken or given back,
 * and noted, in one visit to a stripe, which is a lane of the gate at the same time.
 */
public final class LimitMeter extends Meter {

  private final Gate gate;
  private long heldTime;
  private long waitedTime;

  /**
   * @param gate where the permits are
   * @param now when the first window begins
   * @param objective gives the bound within which completions count
   */
  public LimitMeter(Gate gate, long now, Objective objective) {
    super(now, objective);
    this.gate = gate;
  }

  /** Takes a permit if one is free and nobody waits for it. */
  public boolean tryEnter(long at) {
    Stripe lane = stripes.enter(at);
    boolean entered = gate.tryEnter(lane);
    if (entered) {
      lane.tally.held.came(at);
    }
    lane.exit();
    if (!entered && gate.tryEnterFromAll()) {
      lane = stripes.enter(at);
      lane.tally.held.came(at);
      lane.exit();
      return true;
    }
    return entered;
  }

  /** Somebody began to wait. */
  public void waits(long since) {
    Stripe stripe = stripes.enter(since);
    stripe.tally.waiting.came(since);
    stripe.exit();
  }

  /** A permit was granted to somebody who waited. */
  public void admitted(long at) {
    Stripe stripe = stripes.enter(at);
    stripe.tally.waiting.went(at);
    stripe.tally.held.came(at);
    stripe.exit();
  }

  /** Somebody gave up waiting. */
  public void gaveUp(long at) {
    Stripe stripe = stripes.enter(at);
    stripe.tally.waiting.went(at);
    stripe.exit();
  }

  /** Gives back the permit of work that has ended. */
  public void ended(long asked, long granted, long at, boolean failed) {
    Stripe lane = stripes.enter(at);
    boolean stays = gate.leave(lane);
    try {
      lane.tally.held.went(at);
      lane.interval.record(granted - asked, at - granted, failed, bound);
    } finally { // A histogram that grows may find no memory; who waits gets the permit all the
      // same.
      lane.exit();
      if (!stays) {
        gate.left(lane);
      }
    }
  }

  /**
   * Gives back the permit of work that does not count.
   *
   * @param rejected whether it counts as a rejection, since nobody waited for it any more
   */
  public void ignored(long at, boolean rejected) {
    Stripe lane = stripes.enter(at);
    boolean stays = gate.leave(lane);
    lane.tally.held.went(at);
    lane.exit();
    if (rejected) {
      rejected();
    } else {
      withdrawn(1);
    }
    if (!stays) {
      gate.left(lane);
    }
  }

  /**
   * Ends the window. One caller at a time.
   *
   * @param mostWaiting largest number of waiters in it
   */
  public Window closeWindow(long now, int size, int mostWaiting) {
    Stripes.Collected collected = stripes.collect(now, 0);
    int held = collected.tally().held.inside();
    int waiting = collected.tally().waiting.inside();
    // Seen to go by one stripe, but not to come by another, a permit counts less than nothing as
    // yet.
    long heldNow = Math.max(0, collected.tally().held.spentUntil(now) - heldTime);
    long waitedNow = Math.max(0, collected.tally().waiting.spentUntil(now) - waitedTime);
    heldTime += heldNow;
    waitedTime += waitedNow;
    long length = length(now);
    return window(
        now,
        size,
        mean(heldNow, length, held),
        mean(waitedNow, length, waiting),
        mostWaiting,
        collected.interval().timed(),
        () -> held + waiting,
        Window.NOT_MEASURED,
        collected.interval());
  }
}
