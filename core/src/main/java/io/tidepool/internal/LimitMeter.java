package io.tidepool.internal;

import io.tidepool.Objective;
import io.tidepool.Window;

/** What happens at a limit: every permit and every wait is timed. */
public final class LimitMeter extends Meter {

  private long heldTime;
  private long waitedTime;

  /**
   * @param now when the first window begins
   * @param objective gives the bound within which completions count
   */
  public LimitMeter(long now, Objective objective) {
    super(now, objective);
  }

  /** A permit was granted to somebody who did not wait. */
  public void granted(long at) {
    Stripes.Stripe stripe = stripes.enter(at);
    stripe.held.came(at);
    stripe.exit();
  }

  /** Somebody began to wait. */
  public void waits(long since) {
    Stripes.Stripe stripe = stripes.enter(since);
    stripe.waiting.came(since);
    stripe.exit();
  }

  /** A permit was granted to somebody who waited. */
  public void admitted(long at) {
    Stripes.Stripe stripe = stripes.enter(at);
    stripe.waiting.went(at);
    stripe.held.came(at);
    stripe.exit();
  }

  /** Somebody gave up waiting. */
  public void gaveUp(long at) {
    Stripes.Stripe stripe = stripes.enter(at);
    stripe.waiting.went(at);
    stripe.exit();
  }

  /** A permit came back from work that has ended. */
  public void ended(long asked, long granted, long at, boolean failed) {
    Stripes.Stripe stripe = stripes.enter(at);
    stripe.interval.record(granted - asked, at - granted, failed, bound);
    stripe.held.went(at);
    stripe.exit();
  }

  /** A permit came back from work that does not count. */
  public void ignored(long at) {
    Stripes.Stripe stripe = stripes.enter(at);
    stripe.held.went(at);
    stripe.exit();
    withdrawn(1);
  }

  /**
   * Ends the window. One caller at a time.
   *
   * @param mostWaiting largest number of waiters in it
   */
  public Window closeWindow(long now, int size, int mostWaiting) {
    Stripes.Collected collected = stripes.collect(now, 0);
    int held = collected.held().inside();
    int waiting = collected.waiting().inside();
    // Seen to go by one stripe, but not to come by another, a permit counts less than nothing as
    // yet.
    long heldNow = Math.max(0, collected.held().spentUntil(now) - heldTime);
    long waitedNow = Math.max(0, collected.waiting().spentUntil(now) - waitedTime);
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
