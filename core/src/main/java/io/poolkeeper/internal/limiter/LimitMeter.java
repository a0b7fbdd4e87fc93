package io.poolkeeper.internal.limiter;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.internal.meter.HeldPermit;
import io.poolkeeper.internal.meter.ProcessMeter;
import io.poolkeeper.internal.meter.Stripe;
import io.poolkeeper.internal.meter.Stripes;
import io.poolkeeper.internal.meter.Tally;
import io.poolkeeper.spi.EndedTasks;
import io.poolkeeper.spi.Ticker;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measures a limit: times every permit and every wait. One visit to a stripe takes or returns a
 * permit and records it, because the stripe is also a lane of the gate.
 *
 * <p><b>Counts.</b> Counts are exact even if a window is lost: each stripe counts from the
 * beginning, and a window holds the differences to the window before. Work whose time cannot be
 * recorded for lack of memory is still counted. Only {@link #closeWindow} and {@link #held}
 * allocate, outside of visits.
 */
public final class LimitMeter {

  /** Start of the level of a stripe, which a limit does not sample. */
  private static final long NO_LEVEL = 0;

  /** Bound that no time meets: the intervals hold only times, and the tallies hold the counts. */
  private static final long COUNTED = Long.MIN_VALUE;

  private final Gate gate;
  private final Ticker ticker;
  private final long bound;
  private final Stripes stripes;
  private final ProcessMeter process = new ProcessMeter();
  private final Set<HeldPermit> writtenOff = ConcurrentHashMap.newKeySet();
  private long windowStart;

  /** Counts up to the last window, and the times spent in it and before. */
  private Tally before = new Tally();

  private long heldTime;
  private long waitedTime;

  static {
    rehearse();
  }

  /**
   * Runs all code paths of a permit once. The virtual machine links code when it first runs, which
   * takes memory; there may be none left while a permit is held.
   */
  private static void rehearse() {
    Gate gate = new Gate(1);
    LimitMeter meter = new LimitMeter(gate, () -> 0, Objective.throughput());
    ReferenceQueue<Object> unreachable = new ReferenceQueue<>();
    for (int i = 0; i < 2; i++) {
      HeldPermit held = new HeldPermit(meter, unreachable, 0, null);
      boolean entered = meter.tryEnter(held);
      HeldPermit next = new HeldPermit(meter, unreachable, 0, null);
      var granted = new PendingFuture<>(gate, meter, next, next, Runnable::run).join();
      try {
        meter.ended(held, false);
      } finally {
        Reference.reachabilityFence(held); // Like returning a permit.
      }
      meter.ignored(granted.join(), !entered);
      HeldPermit late = new HeldPermit(meter, unreachable, 0, null);
      var refused = new PendingFuture<>(gate, meter, late, late, Runnable::run);
      refused.accept(null, new CancellationException());
      gate.limit(() -> 100, 0);
      HeldPermit waited = new HeldPermit(meter, unreachable, 0, null);
      rehearse(new BlockedThread(gate, meter, waited));
      meter.ignored(waited, false);
    }
  }

  /** Waits with a permit already granted, which links {@code LockSupport}. */
  private static void rehearse(BlockedThread thread) {
    try {
      thread.await(Long.MAX_VALUE);
    } catch (InterruptedException e) { // Cannot happen without a wait.
      Thread.currentThread().interrupt();
    }
  }

  /**
   * @param gate holder of the permits
   * @param ticker the clock of all that is measured
   * @param objective its bound decides which completions count as within it
   */
  public LimitMeter(Gate gate, Ticker ticker, Objective objective) {
    this.gate = gate;
    this.ticker = ticker;
    long now = ticker.nanoTime();
    this.bound = objective.bound().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    this.stripes = new Stripes(now, objective);
    this.windowStart = now;
  }

  /** Takes a permit if one is free and no waiter wants it. */
  public boolean tryEnter(HeldPermit permit) {
    Stripe lane = stripes.enter(NO_LEVEL);
    boolean entered = gate.tryEnter(lane);
    if (entered) {
      hold(permit, lane);
    }
    lane.exit();
    if (!entered && gate.tryEnterFromAll()) {
      lane = stripes.enter(NO_LEVEL);
      hold(permit, lane);
      lane.exit();
      return true;
    }
    return entered;
  }

  private static void hold(HeldPermit permit, Stripe lane) {
    permit.stripe = lane;
    lane.tally.held.arrived(permit.granted);
    lane.heldPermits.add(permit);
  }

  /** Enters the stripe that records whether a granted permit was returned. */
  private static Stripe enter(HeldPermit permit) {
    Stripe lane = Objects.requireNonNull(permit.stripe);
    lane.enterNext();
    return lane;
  }

  /** Records a rejection. */
  public void rejected() {
    Stripe stripe = stripes.enter(NO_LEVEL);
    stripe.tally.rejections++;
    stripe.exit();
  }

  /** Records that a wait began. */
  public void waits(HeldPermit permit) {
    Stripe stripe = stripes.enter(NO_LEVEL);
    stripe.tally.waiting.arrived(permit.asked);
    stripe.exit();
  }

  /** Records that a waiter was granted a permit. */
  public void admitted(HeldPermit permit, long at) {
    permit.granted = Math.max(permit.asked, at); // It may have been granted before the wait.
    Stripe stripe = stripes.enter(NO_LEVEL);
    stripe.tally.waiting.departed(permit.granted);
    hold(permit, stripe);
    stripe.exit();
  }

  /**
   * Records that a wait was given up.
   *
   * @param rejected whether it counts as a rejection
   */
  public void gaveUp(HeldPermit permit, boolean rejected) {
    long at = nowOr(permit.asked);
    Stripe stripe = stripes.enter(NO_LEVEL);
    stripe.tally.waiting.departed(at);
    stripe.tally.withdrawn(rejected);
    stripe.exit();
  }

  /** Returns the permit of ended work, unless it was returned before. */
  public void ended(HeldPermit permit, boolean failed) {
    long at = nowOr(permit.granted);
    Stripe lane = enter(permit);
    boolean stays = true;
    boolean late = false;
    try {
      if (permit.giveBack()) {
        stays = take(permit, lane, at);
      } else if (permit.giveBackLate()) {
        late = true;
        lane.tally.withdrawals--;
      } else {
        return;
      }
      lane.tally.ended(at - permit.asked, failed, bound);
      lane.interval.record(permit.granted - permit.asked, at - permit.granted, false, COUNTED);
    } catch (OutOfMemoryError e) { // No memory for a larger histogram: counted, but not timed.
    } finally {
      lane.exit();
      if (!stays) {
        gate.left(lane, at);
      } else if (late) {
        writtenOff.remove(permit);
      }
    }
  }

  /**
   * Returns the permit of work that does not count, unless it was returned before.
   *
   * @param rejected whether it counts as a rejection, because its waiter had given up
   * @return whether the permit was in use until now
   */
  public boolean ignored(HeldPermit permit, boolean rejected) {
    long at = nowOr(permit.granted);
    Stripe lane = enter(permit);
    boolean counted = permit.giveBack();
    boolean late = permit.giveBackLate();
    boolean stays = true;
    if (counted) {
      stays = take(permit, lane, at);
      lane.tally.withdrawn(rejected);
    }
    lane.exit();
    if (!stays) {
      gate.left(lane, at);
    } else if (late) {
      writtenOff.remove(permit);
    }
    return counted;
  }

  /**
   * Reclaims a permit that nothing refers to.
   *
   * @return whether it was in use until now
   */
  public boolean reclaim(HeldPermit permit) {
    // A thread that grants one to a waiter that has just left returns it itself.
    return permit.stripe != null && ignored(permit, false);
  }

  /**
   * Writes off a permit that its holder keeps. Its later outcome is counted, but returns no permit.
   *
   * @return whether it was in use until now
   */
  public boolean writeOff(HeldPermit permit) {
    // First, because an unregistered permit would not be found when it is unreachable.
    writtenOff.add(permit);
    long at = nowOr(permit.granted);
    Stripe lane = enter(permit);
    boolean counted = permit.writeOff();
    boolean stays = true;
    if (counted) {
      stays = take(permit, lane, at);
      lane.tally.withdrawn(false);
    }
    lane.exit();
    if (!stays) {
      gate.left(lane, at);
    } else if (!counted) {
      writtenOff.remove(permit);
    }
    return counted;
  }

  /** Takes the permit from its holder; if false, {@link Gate#left} must follow. */
  private boolean take(HeldPermit permit, Stripe lane, long at) {
    lane.heldPermits.remove(permit);
    lane.tally.held.departed(at);
    return gate.leave(lane);
  }

  /** Returns the number of permits written off and not returned. */
  public int writtenOff() {
    return writtenOff.size();
  }

  /** Reads the clock; a clock that throws must not stop a return. */
  private long nowOr(long fallback) {
    try {
      return ticker.nanoTime();
    } catch (Throwable e) {
      return fallback;
    }
  }

  /** Returns the held permits, the longest held first. */
  public List<HeldPermit> held() {
    List<HeldPermit> all = new ArrayList<>();
    for (Stripe stripe : stripes.all()) {
      stripe.enterNext();
      try {
        stripe.heldPermits.addTo(all);
      } finally {
        stripe.exit();
      }
    }
    all.sort(Comparator.comparingLong(HeldPermit::granted));
    return all;
  }

  /**
   * Ends the window. One caller at a time.
   *
   * @param mostWaiting largest number of waiters in it
   */
  public Window closeWindow(long now, int size, int mostWaiting) {
    Stripes.Collected collected = stripes.collect(now, 0);
    Tally counts = collected.tally();
    // A permit counts negatively for now if one stripe recorded its end and another not its start.
    long held = Math.max(0, counts.held.spentUntil(now) - heldTime);
    long waited = Math.max(0, counts.waiting.spentUntil(now) - waitedTime);
    EndedTasks.Times times = collected.interval().close();
    process.advance();
    Window window =
        Window.builder(windowStart, now, size)
            .busy(mean(held, now - windowStart, counts.held.inside()))
            .queue(mean(waited, now - windowStart, counts.waiting.inside()), mostWaiting)
            .arrivals(counts.arrivals() - before.arrivals())
            .completions(counts.completions - before.completions)
            .failures(counts.failures - before.failures)
            .rejections(counts.rejections - before.rejections)
            .withinBound(counts.completions - counts.late - (before.completions - before.late))
            .times(times.queueWait(), times.serviceTime(), times.responseTime())
            .cpu(Window.NOT_MEASURED, process.cpu())
            .gc(process.gc())
            .build();
    before = counts;
    heldTime += held;
    waitedTime += waited;
    windowStart = now;
    return window;
  }

  /** Returns the time-weighted mean of a level from its integral {@code spent} over the window. */
  private static double mean(long spent, long length, int level) {
    return length > 0 ? (double) spent / length : level;
  }
}
