package io.poolkeeper.testbed.servers.handover;

import io.poolkeeper.Bounds;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An executor with a number of handlers that can change while it runs. What carries the work to
 * them is the business of those that extend it; what is measured, and how it ends, is the same for
 * all.
 */
public abstract class HandlerPool extends AbstractExecutorService implements Resizable, Sensor {

  /** Time that handlers may take to let go of the work that {@link #shutdownNow} forbids. */
  private static final long LETTING_GO = TimeUnit.SECONDS.toNanos(1);

  private static final long BETWEEN_LOOKS = TimeUnit.MICROSECONDS.toNanos(100);

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private final String name;
  private final Bounds bounds;
  private final Traffic traffic;

  /** Work that was taken and has not ended; no handler leaves for good before it is 0. */
  private final AtomicLong unfinished = new AtomicLong();

  private final Set<Work> running = ConcurrentHashMap.newKeySet();
  private final Queue<Runnable> dropped = new ConcurrentLinkedQueue<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean closing;
  private volatile boolean dropping;
  private volatile int size;

  HandlerPool(String name, Bounds bounds, int size, Objective objective) {
    this.name = name;
    this.bounds = bounds;
    this.size = bounds.require("size", size);
    traffic = new Traffic(objective, System.nanoTime());
  }

  /** A task on its way to a handler. */
  final class Work implements Runnable {
    private final Runnable task;
    private final long arrival;
    private @Nullable Thread handler;

    private Work(Runnable task, long arrival) {
      this.task = task;
      this.arrival = arrival;
    }

    private synchronized void on(@Nullable Thread thread) {
      handler = thread;
      if (thread == null) {
        Thread.interrupted(); // An interrupt was meant for this work alone.
      }
    }

    private synchronized void interrupt() {
      if (handler != null) {
        handler.interrupt();
      }
    }

    /** Does it on the calling thread, whatever it throws: a handler outlives its work. */
    @Override
    public void run() {
      long begin = System.nanoTime();
      traffic.begun(begin);
      boolean failed = true;
      on(Thread.currentThread());
      running.add(this);
      try {
        if (dropping) {
          dropped.add(task);
        } else {
          task.run();
          failed = false;
        }
      } catch (Throwable e) {
        LOG.log(Level.WARNING, "a task failed", e);
      } finally {
        running.remove(this);
        on(null);
        traffic.ended(arrival, begin, System.nanoTime(), failed);
        finished();
      }
    }
  }

  /** Interrupts what handlers do, and none that waits for work: that is the carrier's business. */
  private void interrupt() {
    running.forEach(Work::interrupt);
  }

  /** Has the work carried to a handler; false if there is no room for it. */
  abstract boolean carry(Work work);

  /** Has handlers join or leave; called under the lock of this. */
  abstract void handlers(int count);

  /** Ends the handlers, which have nothing to do any more; called once, by any thread. */
  abstract void end();

  @Override
  public final void execute(Runnable task) {
    unfinished.incrementAndGet();
    if (closing) {
      finished();
      throw new RejectedExecutionException(name + " takes no more work");
    }
    long now = System.nanoTime();
    traffic.arrived(now);
    boolean carried = false;
    try {
      carried = carry(new Work(task, now));
    } finally { // What is not carried, for whatever reason, does not end either.
      if (!carried) {
        traffic.rejected(System.nanoTime());
        finished();
      }
    }
    if (!carried) {
      throw new RejectedExecutionException(name + " has no room");
    }
  }

  private void finished() {
    if (unfinished.decrementAndGet() == 0 && closing) {
      endOnce();
    }
  }

  private synchronized void endOnce() {
    if (over.getCount() > 0) {
      end();
      over.countDown();
    }
  }

  /** Tasks that wait for a handler. */
  public final int queued() {
    return (int) Math.max(0, unfinished.get() - running.size());
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final int size() {
    return size;
  }

  @Override
  public final Bounds bounds() {
    return bounds;
  }

  @Override
  public final synchronized void resize(int wanted) {
    bounds.require("size", wanted);
    if (over.getCount() > 0) {
      handlers(wanted);
      size = wanted;
    }
  }

  /** Notes the size of one that has another say in it than {@link #resize}. */
  final void sized(int now) {
    size = now;
  }

  @Override
  public Window closeWindow(long now) {
    return traffic.close(now, size);
  }

  @Override
  public final void shutdown() {
    closing = true;
    if (unfinished.get() == 0) {
      endOnce();
    }
  }

  @Override
  public final List<Runnable> shutdownNow() {
    return shutdownNow(LETTING_GO);
  }

  /** The same with another patience, in nanoseconds, for handlers to let go of what they hold. */
  final List<Runnable> shutdownNow(long patience) {
    dropping = true;
    shutdown();
    interrupt();
    long deadline = System.nanoTime() + patience;
    while (unfinished.get() > running.size() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(BETWEEN_LOOKS); // Handlers may need this processor to let go.
    }
    return new ArrayList<>(dropped);
  }

  @Override
  public final boolean isShutdown() {
    return closing;
  }

  @Override
  public final boolean isTerminated() {
    return over.getCount() == 0;
  }

  @Override
  public final boolean awaitTermination(long patience, TimeUnit unit) throws InterruptedException {
    return over.await(patience, unit);
  }
}
