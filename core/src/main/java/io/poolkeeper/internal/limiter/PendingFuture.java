package io.poolkeeper.internal.limiter;

import io.poolkeeper.internal.meter.Holding;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A future that waits for a permit. Completed otherwise than with this permit it has been given up,
 * and returns the permit if it has one or gets one yet. Nothing that happens after its creation
 * allocates, but what the executor and the future's dependents do.
 *
 * @param <P> the user's half of the permit
 */
public final class PendingFuture<P> extends Trampoline.Step
    implements Runnable, BiConsumer<@Nullable P, @Nullable Throwable> {

  private final Gate gate;
  private final LimitMeter meter;
  private final P value;
  private final Holding permit;
  private final Executor executor;
  private final CompletableFuture<P> future = new CompletableFuture<>();

  /** Against executors that run a task twice, or run it and throw. */
  private final AtomicBoolean decided = new AtomicBoolean();

  private @Nullable Throwable refusal;
  private volatile boolean granted;
  private boolean timedOut;
  private volatile boolean givenUp;

  /**
   * @param value completes the future
   * @param executor where to complete it
   */
  public PendingFuture(Gate gate, LimitMeter meter, P value, Holding permit, Executor executor) {
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
    granted = true; // Before a look at whether it is given up, which looks at this afterwards.
    if (givenUp) {
      meter.ignored(permit, timedOut);
      return;
    }
    try {
      executor.execute(this);
    } catch (Throwable e) { // Shut down, full, or out of threads.
      decide(e);
    }
  }

  /** In the executor. */
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
    } catch (Throwable e) { // What depends on the future has the permit, and found no memory.
    }
  }

  /** False if there is no memory for it: better a permit on this thread than no answer. */
  private boolean completeExceptionally(Throwable why) {
    try {
      future.completeExceptionally(why);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Hears of the future's completion. */
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
