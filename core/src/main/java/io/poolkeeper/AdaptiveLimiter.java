package io.poolkeeper;

import io.poolkeeper.internal.limiter.BlockedThread;
import io.poolkeeper.internal.limiter.Gate;
import io.poolkeeper.internal.limiter.LimitMeter;
import io.poolkeeper.internal.limiter.PendingFuture;
import io.poolkeeper.internal.loop.HangWatch;
import io.poolkeeper.internal.meter.Acquisition;
import io.poolkeeper.internal.meter.Holding;
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
 * A limit on how much runs at once, which measures what it admits and keeps itself at its best
 * size. For code that has no pool to size: asynchronous servers, virtual threads, calls to another
 * service.
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
 * <p><b>Guarantees.</b> Never more permits are in use than the limit was when the last one was
 * granted. Waiters are served in the order of their arrival, and nobody overtakes them; {@link
 * #tryAcquire} neither. When the limit rises waiters are admitted at once. A permit comes back
 * exactly once, whoever returns it and however often. Neither an exhausted heap nor a clock that
 * throws costs a permit: whoever has one needs neither to give it back.
 *
 * <p><b>Leaks.</b> A permit to which nobody refers any more is reclaimed when the next window
 * closes after the garbage collector has noticed. One that is referred to and never given back
 * stays in use. When all permits are, none has come back for {@link Builder#hangAfter} and somebody
 * wants one, that is a {@linkplain ControlListener#onHang hang}, and those held the longest are
 * written off until one permit is free: they do not count any more, unless the size comes so near
 * the largest one that more than that would be in use. So a limit that was lowered below the
 * permits leaked does not lock out everybody for ever. {@link ControlListener#onLeak} tells of
 * both, {@link #holders} who holds permits.
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

  /** Restarts at each report, so that it reports again if nobody gets a permit still. */
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
   * Begins the description of a limiter.
   *
   * @param name name in logs, JFR and JMX; not blank
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /**
   * Takes a permit, waiting as long as it takes.
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
   * Takes a permit, waiting no longer than {@code patience}. A wait that ends without one counts as
   * a rejection.
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

  /** Takes a permit if there is one now and nobody waits for it; otherwise counts a rejection. */
  public Optional<Permit> tryAcquire() {
    Optional<Permit> free = takeFree();
    if (free.isEmpty()) {
      meter.rejected();
    }
    return free;
  }

  /**
   * Asks for a permit without holding a thread. What depends on the future runs in {@code
   * executor}, never on the thread that gave the permit back; of a permit that is free at once, on
   * the caller's. With an executor that runs tasks on the thread that hands them over, a waiter
   * that is let in by what depends on another one runs after it.
   *
   * @return completes with the permit; cancel it, or let it time out, to leave the queue, which
   *     counts a time-out as a rejection. If {@code executor} refuses, it completes with what that
   *     threw, and no permit is taken
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

  /** A permit, if one is free now and nobody waits for it. */
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

  /** With the permits that were written off no more are in use than the largest size allows. */
  private int limit() {
    return Math.min(size, bounds.maximum() - meter.writtenOff());
  }

  /** Permits in use now; above the limit only after it was lowered. */
  public int inUse() {
    return gate.held();
  }

  /** Waiters for a permit now. */
  public int waiting() {
    return gate.waiting();
  }

  /** Holders of the permits in use now, the longest holding first. */
  public List<Holder> holders() {
    long now = ticker.nanoTime();
    return meter.held().stream().map(holding -> holder(holding, now, true)).toList();
  }

  /** Stack of each holder, for the report of a hang; empty ones without their tracking. */
  @Override
  public Map<String, List<StackTraceElement>> stacks() {
    Map<String, List<StackTraceElement>> stacks = new LinkedHashMap<>();
    for (Holder holder : holders()) {
      stacks.put("permit %d, held by %s".formatted(stacks.size() + 1, holder), holder.stack());
    }
    return stacks;
  }

  /** The loop that tunes this limit: its mode, its last window and decision, its listeners. */
  public ControlLoop control() {
    return loop;
  }

  /** The state: size, permits in use, waiters. */
  @Override
  public String toString() {
    return "%s[size = %d of %d..%d, in use = %d, waiting = %d]"
        .formatted(name, size, bounds.minimum(), bounds.maximum(), inUse(), waiting());
  }

  /**
   * Stops tuning; the limit stays as it is, and permits are granted and taken back as before.
   * Leaked ones are noticed no longer.
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
      Holding holding = (Holding) found;
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
    for (Holding holding : meter.held()) {
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

  private static Holder holder(Holding holding, long now, boolean reachable) {
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

    /** Thread and age. */
    @Override
    public String toString() {
      return (thread.isEmpty() ? "an unknown thread" : thread) + " for " + age;
    }
  }

  /**
   * Leave to run. Give it back with its outcome; {@link #close} gives it back if nothing else did.
   */
  public final class Permit implements AutoCloseable {

    private final Holding holding;

    private Permit() {
      holding =
          new Holding(
              this, unreachable, ticker.nanoTime(), trackHolders ? new Acquisition() : null);
    }

    /** The work is done. */
    public void success() {
      end(false);
    }

    /** The work was given up because of load. */
    public void dropped() {
      end(true);
    }

    /** The work says nothing about load. */
    public void ignore() {
      try {
        meter.ignored(holding, false);
      } finally {
        Reference.reachabilityFence(this);
      }
    }

    /** {@link #ignore} unless an outcome was told. */
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

  /** Describes a limiter. Settings are checked together and sealed when it is built. */
  public static final class Builder extends PoolBuilder<Builder> {

    private boolean trackHolders;

    private Builder(String name) {
      super(name, new Bounds(1, 1000));
    }

    @Override
    Builder self() {
      return this;
    }

    /** Fewer than a pool's: under overload what is too much takes longer to leave again. */
    @Override
    int startingSize() {
      return 4;
    }

    /**
     * Whether each permit remembers which thread asked for it, and where, for {@link #holders} and
     * the reports of leaks and hangs; default no, since a stack costs a microsecond or more for
     * each permit.
     */
    public Builder trackHolders(boolean track) {
      this.trackHolders = track;
      return this;
    }

    /**
     * Builds the limiter and starts its loop.
     *
     * @throws IllegalArgumentException naming settings that do not go together
     * @throws IllegalStateException if the controller serves the limiter that was built before
     */
    public AdaptiveLimiter build() {
      if (objective().equals(Objective.diskThroughput())) {
        throw new IllegalArgumentException(
            "objective disk-throughput is for a pool of threads: a limiter has none whose bytes could"
                + " be counted");
      }
      return new AdaptiveLimiter(this);
    }
  }
}
