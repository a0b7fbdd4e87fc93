package io.tidepool;

import io.tidepool.internal.Gate;
import io.tidepool.internal.LimitMeter;
import io.tidepool.internal.Trampoline;
import io.tidepool.spi.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

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
 * exactly once, whoever returns it and however often.
 */
public final class AdaptiveLimiter implements Resizable, AutoCloseable {

  private final String name;
  private final Bounds bounds;
  private final Ticker ticker;
  private final Gate gate;
  private final LimitMeter meter;
  private final ControlLoop loop;

  private AdaptiveLimiter(Builder settings) {
    name = settings.name();
    bounds = settings.bounds();
    ticker = settings.ticker();
    gate = new Gate(settings.initialSize());
    meter = new LimitMeter(gate, ticker.nanoTime(), settings.objective());
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
   * @throws InterruptedException if the thread is interrupted while it waits; no permit is held
   *     then
   */
  public Permit acquire() throws InterruptedException {
    Permit free = takeFree();
    if (free != null) {
      return free;
    }
    Place place = join(null);
    try {
      return place.get();
    } catch (InterruptedException e) {
      place.leave(e);
      throw e;
    } catch (ExecutionException e) {
      throw new AssertionError("nothing completes a place in the queue but a permit", e);
    }
  }

  /**
   * Takes a permit, waiting no longer than {@code patience}. A wait that ends without one counts as
   * a rejection.
   *
   * @return empty if there was none in time
   * @throws InterruptedException if the thread is interrupted while it waits; no permit is held
   *     then
   */
  public Optional<Permit> acquire(Duration patience) throws InterruptedException {
    Permit free = takeFree();
    if (free != null) {
      return Optional.of(free);
    }
    long nanos = TimeUnit.NANOSECONDS.convert(patience);
    Place place = join(null);
    try {
      return Optional.of(place.get(nanos, TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      place.leave(e);
      throw e;
    } catch (TimeoutException e) {
      // False if the permit came in the last moment.
      return place.completeExceptionally(e) ? Optional.empty() : Optional.of(place.join());
    } catch (ExecutionException e) {
      throw new AssertionError("nothing completes a place in the queue but a permit", e);
    }
  }

  /** Takes a permit if there is one now and nobody waits for it; otherwise counts a rejection. */
  public Optional<Permit> tryAcquire() {
    Permit free = takeFree();
    if (free == null) {
      meter.rejected();
    }
    return Optional.ofNullable(free);
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
    Permit free = takeFree();
    return free != null ? CompletableFuture.completedFuture(free) : join(executor);
  }

  /** A permit, if one is free now and nobody waits for it. */
  private @Nullable Permit takeFree() {
    if (gate.full()) {
      return null;
    }
    long now = ticker.nanoTime();
    return meter.tryEnter(now) ? new Permit(now, now) : null;
  }

  private Place join(@Nullable Executor executor) {
    long asked = ticker.nanoTime();
    Place place = new Place(asked, executor);
    var unused = place.whenComplete(place::completed);
    meter.waits(asked);
    gate.join(place);
    return place;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return gate.limit();
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    gate.limit(bounds.require("size", size));
  }

  /** Permits in use now; above the limit only after it was lowered. */
  public int inUse() {
    return gate.held();
  }

  /** Who waits for a permit now. */
  public int waiting() {
    return gate.waiting();
  }

  /** The loop that tunes this limit: its mode, its last window and decision, its listeners. */
  public ControlLoop control() {
    return loop;
  }

  /** Stops tuning; the limit stays as it is, and permits are granted and taken back as before. */
  @Override
  public void close() {
    loop.close();
  }

  private Window closeWindow(long now) {
    return meter.closeWindow(now, size(), gate.takeMostWaiting());
  }

  /**
   * A place in the queue. It completes with the permit that it is given; completed otherwise it has
   * been given up, and returns the permit if it has one or gets one yet.
   */
  private final class Place extends CompletableFuture<Permit> implements Gate.Waiter {
    private final long asked;
    private final @Nullable Executor executor;
    private volatile @Nullable Permit permit;

    /**
     * @param executor where to complete, or null for a thread that blocks: nothing depends on that
     */
    Place(long asked, @Nullable Executor executor) {
      this.asked = asked;
      this.executor = executor;
    }

    @Override
    public void admitted() {
      long now = ticker.nanoTime();
      meter.admitted(now);
      Permit granted = new Permit(asked, now);
      permit = granted;
      if (isDone()) { // Given up before it could see the permit.
        granted.giveUp(reason());
      } else if (executor == null) {
        accept(granted);
      } else {
        try {
          executor.execute(() -> Trampoline.run(() -> accept(granted)));
        } catch (Throwable refusal) { // Shut down, full, or out of threads.
          Trampoline.run(() -> completeExceptionally(refusal));
        }
      }
    }

    private void accept(Permit granted) {
      if (!complete(granted)) {
        granted.giveUp(reason());
      }
    }

    /** Why it was given up. */
    private @Nullable Throwable reason() {
      return handle((held, gaveUp) -> gaveUp).getNow(null);
    }

    /** The thread that blocked was interrupted. */
    void leave(InterruptedException why) {
      if (!completeExceptionally(why)) {
        join().ignore();
      }
    }

    /** Whatever completed it. */
    private void completed(@Nullable Permit held, @Nullable Throwable gaveUp) {
      Permit granted = permit;
      if (held != null && held == granted) {
        return;
      }
      if (gate.giveUp(this)) {
        meter.gaveUp(ticker.nanoTime());
        if (gaveUp instanceof TimeoutException) {
          meter.rejected();
        } else {
          meter.withdrawn(1);
        }
      } else if (granted != null) {
        granted.giveUp(gaveUp);
      }
    }
  }

  /**
   * Leave to run. Give it back with its outcome; {@link #close} gives it back if nothing else did.
   */
  public final class Permit implements AutoCloseable {
    private static final VarHandle RETURNED;

    static {
      try {
        RETURNED = MethodHandles.lookup().findVarHandle(Permit.class, "returned", boolean.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private final long asked;
    private final long granted;

    @SuppressWarnings("unused") // through RETURNED
    private boolean returned;

    private Permit(long asked, long granted) {
      this.asked = asked;
      this.granted = granted;
    }

    /** The work is done. */
    public void success() {
      giveBack(false);
    }

    /** The work was given up because of load. */
    public void dropped() {
      giveBack(true);
    }

    /** The work says nothing about load. */
    public void ignore() {
      giveUp(null);
    }

    /** Nobody wants it any more; where the wait ended in the moment of its grant, a rejection. */
    private void giveUp(@Nullable Throwable why) {
      if (RETURNED.compareAndSet(this, false, true)) {
        meter.ignored(ticker.nanoTime(), why instanceof TimeoutException);
      }
    }

    /** {@link #ignore} unless an outcome was told. */
    @Override
    public void close() {
      if (!(boolean) RETURNED.getOpaque(this)) {
        ignore();
      }
    }

    private void giveBack(boolean failed) {
      if (RETURNED.compareAndSet(this, false, true)) {
        meter.ended(asked, granted, ticker.nanoTime(), failed);
      }
    }
  }

  /** Describes a limiter. Settings are checked together and sealed when it is built. */
  public static final class Builder extends PoolBuilder<Builder> {

    private Builder(String name) {
      super(name, new Bounds(1, 1000));
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * Builds the limiter and starts its loop.
     *
     * @throws IllegalArgumentException naming settings that do not go together
     * @throws IllegalStateException if the controller serves the limiter that was built before
     */
    public AdaptiveLimiter build() {
      return new AdaptiveLimiter(this);
    }
  }
}
