package io.poolkeeper.internal.limiter;

import io.poolkeeper.internal.meter.HeldPermit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A future that waits for a permit. If it is completed in another way, it has been given up and
 * returns its permit, even one granted later. It allocates only when created, except in the
 * executor and in dependent stages.
 *
 * @param <P> type of the permit that users see
 */
public final class PendingFuture<P> extends Trampoline.Step
    implements Runnable, BiConsumer<@Nullable P, @Nullable Throwable> {

  private final Gate gate;
  private final LimitMeter meter;
  private final P value;
  private final HeldPermit permit;
  private final Executor executor;
  private final CompletableFuture<P> future = new CompletableFuture<>();

  /** Guard against executors that run a task twice, or run it and throw. */
  private final AtomicBoolean decided = new AtomicBoolean();

  private @Nullable Throwable refusal;
  private volatile boolean granted;
  private boolean timedOut;
  private volatile boolean givenUp;

  /**
   * @param value completes the future
   * @param executor completes it
   */
  public PendingFuture(Gate gate, LimitMeter meter, P value, HeldPermit permit, Executor executor) {
    this.gate = gate;
    this.meter = meter;
    this.value = value;
    this.permit = permit;
    this.executor = executor;
    var unused = future.whenComplete(this);
  }

  /** Joins the queue; returns the future. */
  public CompletableFuture<P> join() {
    meter.waits(permit);
    gate.join(this, permit.asked());
    return future;
  }

  @Override
  protected void admitted(long at) {
    meter.admitted(permit, at);
    granted = true; // First, because giving up reads this flag.
    if (givenUp) {
      meter.ignored(permit, timedOut);
      return;
    }
    try {
      executor.execute(this);
    } catch (Throwable e) { // The executor is shut down, full, or out of threads.
      decide(e);
    }
  }

  /** Completes it in the executor. */
  @Override
  public void run() {
    decide(null);
  }

  private void decide(@Nullable Throwable why) {
    if (decided.compareAndSet(false, true)) {
      refusal = why;
      Trampoline.run(this);
    }
  }

  @Override
  protected void step() {
    Throwable why = refusal;
    try {
      if (why == null || !completeExceptionally(why)) {
        future.complete(value);
      }
    } catch (Throwable e) { // A dependent stage has the permit and found no memory.
    }
  }

  /**
   * Returns false if there is no memory for the hand-over; then this thread completes the future.
   */
  private boolean completeExceptionally(Throwable why) {
    try {
      future.completeExceptionally(why);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Called when the future completes. */
  @Override
  public void accept(@Nullable P held, @Nullable Throwable reason) {
    if (held == value) {
      return;
    }
    timedOut = reason instanceof TimeoutException;
    givenUp = true;
    if (gate.giveUp(this)) {
      meter.gaveUp(permit, timedOut);
    } else if (granted) {
      meter.ignored(permit, timedOut);
    }
  }
}
