package io.poolkeeper.netty;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.NonStickyEventExecutorGroup;
import io.netty.util.concurrent.Promise;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An {@link AdaptiveExecutor} as Netty 4 takes it for handlers that block, so that event loops do
 * not.
 *
 * <pre>{@code
 * var pool = AdaptiveExecutor.builder("handlers").build();
 * EventExecutorGroup blocking = AdaptiveEventExecutor.group(pool);
 * ...
 * pipeline.addLast(blocking, new OrdersHandler());
 * }</pre>
 *
 * <p>In place of a {@code DefaultEventExecutorGroup}, which binds each channel to one of its
 * threads for good: so a thread that is busy delays its channels while others are idle, and the
 * number of threads can never change. Here any thread runs the events of a channel, one after the
 * other and in order. A task is the events of a channel that wait together. Timers are none of its
 * service, as of Netty's own unordered executors: use those of the channel's event loop.
 */
public final class AdaptiveEventExecutor extends AbstractEventExecutor {

  private final AdaptiveExecutor pool;
  private final Promise<?> termination = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
  private final AtomicBoolean stopping = new AtomicBoolean();

  private AdaptiveEventExecutor(AdaptiveExecutor pool) {
    this.pool = Objects.requireNonNull(pool, "pool must not be null");
    pool.control().listen(new EndOfPool());
  }

  /** Makes a group of a pool. To shut the group down is to shut down the pool, and vice versa. */
  public static EventExecutorGroup group(AdaptiveExecutor pool) {
    return new NonStickyEventExecutorGroup(new AdaptiveEventExecutor(pool));
  }

  @Override
  public void execute(Runnable command) {
    pool.execute(command);
  }

  /** Returns whether a thread is an event loop; none is, since any thread may run any event. */
  @Override
  public boolean inEventLoop(Thread thread) {
    return false;
  }

  @Override
  public boolean isShuttingDown() {
    return pool.isShutdown();
  }

  /** Lets the tasks that are there end, and interrupts those that have not after the timeout. */
  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    pool.shutdown();
    if (stopping.compareAndSet(false, true)) {
      startWaiter(() -> awaitEnd(timeout, unit));
    }
    return termination;
  }

  private void startWaiter(Runnable wait) {
    Thread waiter = new Thread(wait, pool.name() + "-end");
    waiter.setDaemon(true);
    waiter.start();
  }

  /** Ends the group where somebody shuts down the pool itself. */
  private final class EndOfPool implements ControlListener {

    @Override
    public void onClose(Resizable closed) {
      if (!stopping.get()) {
        startWaiter(this::awaitEnd);
      }
    }

    private void awaitEnd() {
      try {
        pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        termination.trySuccess(null);
      } catch (InterruptedException e) { // Nobody knows this thread.
        Thread.currentThread().interrupt();
      }
    }
  }

  private void awaitEnd(long timeout, TimeUnit unit) {
    try {
      if (!pool.awaitTermination(timeout, unit)) {
        pool.shutdownNow();
        pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
      }
      termination.trySuccess(null);
    } catch (InterruptedException e) {
      termination.tryFailure(e);
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Future<?> terminationFuture() {
    if (pool.isTerminated()) {
      termination.trySuccess(null);
    }
    return termination;
  }

  /** As {@link #shutdownGracefully()}. */
  @Override
  @Deprecated
  public void shutdown() {
    var unused = shutdownGracefully();
  }

  @Override
  public boolean isShutdown() {
    return pool.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return pool.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return pool.awaitTermination(timeout, unit);
  }
}
