package io.poolkeeper;

import io.poolkeeper.internal.limiter.BlockedThread;
import io.poolkeeper.internal.limiter.Gate;
import io.poolkeeper.internal.limiter.LimitMeter;
import io.poolkeeper.internal.limiter.PendingFuture;
import io.poolkeeper.internal.loop.HangWatch;
import io.poolkeeper.internal.meter.Acquisition;
import io.poolkeeper.internal.meter.HeldPermit;
import io.poolkeeper.spi.Ticker;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A concurrency limit that measures the work it admits and keeps itself at its best size. It serves
 * code that has no pool to size: asynchronous servers, virtual threads, calls to another service.
 *
 * <pre>{@code
 * try (var permit = limiter.acquire()) {
 *   answer = call();
 *   permit.success();
 * }
 * }</pre>
 *
 * <p><b>Outcomes.</b> {@link Permit#success}: the time counts as a completion. {@link
 * Permit#dropped}: the work was given up because of load, such as a timeout; the time counts as a
 * failure. {@link Permit#ignore}, or closing without an outcome: nothing counts, as for a call that
 * failed at once because its argument was wrong.
 *
 * <p><b>Guarantees.</b> When a permit is granted, no more permits are in use than the limit allows.
 * Waiters are served in the order of their arrival; {@link #tryAcquire} does not overtake them
 * either. When the limit rises, waiters are admitted at once. Each permit is returned exactly once,
 * even if several threads return it several times. Returning a permit needs neither memory nor a
 * working clock, so neither fault loses a permit.
 *
 * <p><b>Leaks.</b> A permit that nothing refers to is reclaimed when the first window closes after
 * the garbage collector has found it. A permit that something refers to stays in use until it is
 * returned.
 *
 * <p>If all permits are in use, none was returned for {@link Builder#hangAfter} and somebody waits,
 * this is a {@linkplain ControlListener#onHang hang}. Then the permits held longest are written off
 * until one permit is free. So a limit below the number of leaked permits does not lock out
 * everybody for ever. Written-off permits do not count, except that permits in use and written off
 * never exceed the maximum of the bounds. {@link ControlListener#onLeak} reports reclaimed and
 * written-off permits; {@link #holders} lists the holders.
 */
public final class AdaptiveLimiter implements Resizable, AutoCloseable {

  private final String name;
  private final Bounds bounds;
  private final Ticker ticker;
  private final Duration hangAfter;
  private final boolean trackHolders;
  private final Gate gate;
  private final LimitMeter meter;
  private final ReferenceQueue<Object> unreachable = new ReferenceQueue<>();
  private final IntSupplier limit = this::limit;
  private final ControlLoop loop;
  private volatile int size;

  /** Restarts after each report, so that it reports again if still nobody gets a permit. */
  private final HangWatch starvationWatch;

  private boolean starved;

  private AdaptiveLimiter(Builder settings) {
    name = settings.name();
    bounds = settings.bounds();
    ticker = settings.ticker();
    hangAfter = settings.hangAfter();
    trackHolders = settings.trackHolders;
    size = settings.initialSize();
    gate = new Gate(size);
    meter = new LimitMeter(gate, ticker, settings.objective());
    starvationWatch = new HangWatch(hangAfter);
    loop = settings.startLoop(this, this::closeWindow);
  }

  /**
   * Returns a builder of a limiter.
   *
   * @param name name in logs, JFR and JMX; not blank
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /**
   * Takes a permit, waiting for one if necessary.
   *
   * @throws InterruptedException if the thread is interrupted, before or while it waits; no permit
   *     is held then
   */
  public Permit acquire() throws InterruptedException {
    requireNoInterrupt();
    if (!gate.full()) {
      Permit permit = new Permit();
      if (meter.tryEnter(permit.holding)) {
        return permit;
      }
    }
    Permit permit = new Permit();
    new BlockedThread(gate, meter, permit.holding).await(Long.MAX_VALUE);
    return permit;
  }

  /**
   * Takes a permit, waiting at most {@code patience}. A wait that ends without a permit counts as a
   * rejection.
   *
   * @return empty if there was none in time
   * @throws InterruptedException if the thread is interrupted, before or while it waits; no permit
   *     is held then
   */
  public Optional<Permit> acquire(Duration patience) throws InterruptedException {
    Objects.requireNonNull(patience, "patience must not be null");
    long nanos = TimeUnit.NANOSECONDS.convert(patience);
    requireNoInterrupt();
    Optional<Permit> free = takeFree();
    if (free.isPresent()) {
      return free;
    }
    Permit permit = new Permit();
    Optional<Permit> granted = Optional.of(permit);
    return new BlockedThread(gate, meter, permit.holding).await(nanos) ? granted : Optional.empty();
  }

  /** Takes a permit if one is free and nobody waits for it; otherwise counts a rejection. */
  public Optional<Permit> tryAcquire() {
    Optional<Permit> free = takeFree();
    if (free.isEmpty()) {
      meter.rejected();
    }
    return free;
  }

  /**
   * Takes a permit without blocking a thread. Dependent stages of the future run in {@code
   * executor}, never on the thread that returned the permit; if a permit is free at once, they run
   * on the caller's thread. With an executor that runs tasks on the calling thread, a waiter that
   * is admitted by a dependent stage of another future runs after that stage.
   *
   * @return a future that completes with the permit. Cancel it, or let it time out, to leave the
   *     queue; a time-out counts as a rejection. If {@code executor} rejects the task, the future
   *     completes with that exception and no permit is taken
   */
  public CompletableFuture<Permit> acquireAsync(Executor executor) {
    Objects.requireNonNull(executor, "executor must not be null");
    if (!gate.full()) {
      Permit permit = new Permit();
      CompletableFuture<Permit> granted = new CompletableFuture<>();
      if (meter.tryEnter(permit.holding)) {
        granted.complete(permit);
        return granted;
      }
    }
    Permit permit = new Permit();
    return new PendingFuture<>(gate, meter, permit, permit.holding, executor).join();
  }

  private static void requireNoInterrupt() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Takes a permit if one is free and nobody waits for it. */
  private Optional<Permit> takeFree() {
    if (gate.full()) {
      return Optional.empty();
    }
    Permit permit = new Permit();
    Optional<Permit> granted = Optional.of(permit);
    return meter.tryEnter(permit.holding) ? granted : Optional.empty();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    bounds.require("size", size);
    long now = ticker.nanoTime();
    this.size = size;
    gate.limit(limit, now);
  }

  /**
   * Returns the limit that keeps permits in use and written-off permits together within the largest
   * size.
   */
  private int limit() {
    return Math.min(size, bounds.maximum() - meter.writtenOff());
  }

  /** Returns the number of permits in use; above the limit only after it was lowered. */
  public int inUse() {
    return gate.held();
  }

  /** Returns the number of waiters for a permit. */
  public int waiting() {
    return gate.waiting();
  }

  /** Returns the holders of the permits in use, the longest holding first. */
  public List<Holder> holders() {
    long now = ticker.nanoTime();
    return meter.held().stream().map(holding -> holder(holding, now, true)).toList();
  }

  /**
   * Returns the stack of each holder for the report of a hang; empty without {@link
   * Builder#trackHolders}.
   */
  @Override
  public Map<String, List<StackTraceElement>> stacks() {
    Map<String, List<StackTraceElement>> stacks = new LinkedHashMap<>();
    for (Holder holder : holders()) {
      stacks.put("permit %d, held by %s".formatted(stacks.size() + 1, holder), holder.stack());
    }
    return stacks;
  }

  /** Returns the loop that tunes this limit: its mode, last window, last decision and listeners. */
  public ControlLoop control() {
    return loop;
  }

  /** Returns size, permits in use and waiters. */
  @Override
  public String toString() {
    return "%s[size = %d of %d..%d, in use = %d, waiting = %d]"
        .formatted(name, size, bounds.minimum(), bounds.maximum(), inUse(), waiting());
  }

  /**
   * Stops tuning. The limit keeps its size and works as before, but no longer reclaims leaked
   * permits.
   */
  @Override
  public void close() {
    loop.close();
  }

  private Window closeWindow(long now) {
    reclaimUnreachable(now);
    if (starved) {
      makeRoom(now);
    }
    if (gate.limit() != size) {
      gate.limit(limit, now);
    }
    Window window = meter.closeWindow(now, gate.limit(), gate.takeMostWaiting());
    starved = starvationWatch.see(window).isPresent();
    if (starved) {
      starvationWatch.restart();
    }
    return window;
  }

  private void reclaimUnreachable(long now) {
    for (Reference<?> found; (found = unreachable.poll()) != null; ) {
      HeldPermit holding = (HeldPermit) found;
      if (meter.reclaim(holding)) {
        report(holder(holding, now, false));
      }
    }
  }

  private void makeRoom(long now) {
    int held = gate.held();
    if (held + meter.writtenOff() >= bounds.maximum()) {
      return;
    }
    int excess = held - gate.limit() + 1;
    for (HeldPermit holding : meter.held()) {
      if (excess-- <= 0 || now - holding.granted() < hangAfter.toNanos()) {
        return;
      }
      if (meter.writeOff(holding)) {
        report(holder(holding, now, true));
      }
    }
  }

  private void report(Holder holder) {
    loop.post(listener -> listener.onLeak(this, holder));
  }

  private static Holder holder(HeldPermit holding, long now, boolean reachable) {
    Acquisition acquisition = holding.acquisition();
    return new Holder(
        Duration.ofNanos(Math.max(0, now - holding.granted())),
        reachable,
        acquisition == null ? "" : acquisition.thread(),
        acquisition == null ? List.of() : acquisition.callers());
  }

  /**
   * A holder of a permit.
   *
   * @param age time since the permit was granted
   * @param reachable whether the permit can still be given back; false if nothing refers to it
   * @param thread name of the thread that asked for it; empty without {@link Builder#trackHolders}
   * @param stack of that thread when it asked; empty without {@link Builder#trackHolders}
   */
  public record Holder(
      Duration age, boolean reachable, String thread, List<StackTraceElement> stack) {

    /** Returns thread and age. */
    @Override
    public String toString() {
      return (thread.isEmpty() ? "an unknown thread" : thread) + " for " + age;
    }
  }

  /**
   * Permission to run. Return it with its outcome; {@link #close} returns it without one if no
   * outcome was given.
   */
  public final class Permit implements AutoCloseable {

    private final HeldPermit holding;

    private Permit() {
      holding =
          new HeldPermit(
              this, unreachable, ticker.nanoTime(), trackHolders ? new Acquisition() : null);
    }

    /** Returns the permit after work that succeeded. */
    public void success() {
      end(false);
    }

    /** Returns the permit after work that was given up because of load, such as a timeout. */
    public void dropped() {
      end(true);
    }

    /** Returns the permit after work that says nothing about load; it is not counted. */
    public void ignore() {
      try {
        meter.ignored(holding, false);
      } finally {
        Reference.reachabilityFence(this);
      }
    }

    /** Calls {@link #ignore} unless the permit was returned before. */
    @Override
    public void close() {
      if (!holding.returned()) {
        ignore();
      }
    }

    private void end(boolean failed) {
      try {
        meter.ended(holding, failed);
      } finally { // Until then nobody may find it unreachable, and reclaim it.
        Reference.reachabilityFence(this);
      }
    }
  }

  /** Builder of a limiter. Settings that depend on each other are checked when it is built. */
  public static final class Builder extends PoolBuilder<Builder> {

    private boolean trackHolders;

    private Builder(String name) {
      super(name, new Bounds(1, 1000));
    }

    @Override
    Builder self() {
      return this;
    }

    /** Returns fewer than an executor: under overload a limit that is too large falls slowly. */
    @Override
    int startingSize() {
      return 4;
    }

    /**
     * Sets whether each permit records the thread and the stack that asked for it, for {@link
     * #holders} and the reports of leaks and hangs; default false, since a stack costs a
     * microsecond or more for each permit.
     */
    public Builder trackHolders(boolean track) {
      this.trackHolders = track;
      return this;
    }

    /**
     * Builds the limiter and starts its loop.
     *
     * @throws IllegalArgumentException if settings contradict each other, naming them
     * @throws IllegalStateException if the controller is already used by the limiter built before
     */
    public AdaptiveLimiter build() {
      if (objective().equals(Objective.diskThroughput())) {
        throw new IllegalArgumentException(
            "objective disk-throughput needs a pool of threads: a limiter cannot count bytes");
      }
      return new AdaptiveLimiter(this);
    }
  }
}
