package io.tidepool;

import io.tidepool.internal.PlainTask;
import io.tidepool.internal.PoolMeter;
import io.tidepool.internal.SubmittedTask;
import io.tidepool.internal.WorkQueue;
import io.tidepool.internal.Workers;
import io.tidepool.spi.Ticker;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A thread pool that measures itself and keeps itself at its best size. It takes the place of a
 * {@link ThreadPoolExecutor}: bounds, queue, thread factory, rejection policy and shutdown mean
 * what the JDK documents, and a {@code ThreadPoolExecutor} does the work inside.
 *
 * <pre>{@code
 * var pool = AdaptiveExecutor.builder("orders").build();
 * }</pre>
 *
 * <p><b>Choosing settings.</b> The defaults suit most services. Set an objective if the pool should
 * optimise something else than its throughput; bounds if more threads would hurt someone else (a
 * database that admits 50 connections); a queue capacity if callers should be refused rather than
 * wait for long; dry-run to see for a week what it would do.
 *
 * <p><b>When not to use it.</b> For tasks of a few microseconds use a fixed pool of as many threads
 * as processors, or none: the hand-over costs more than the task. For tasks that wait for other
 * tasks of the same pool no size is right. On virtual threads there is nothing to size: limit
 * admission with an {@link AdaptiveLimiter}.
 *
 * <p><b>Guarantees.</b> Growth starts threads at once while tasks wait. Shrinking interrupts no
 * task: workers leave when their task has ended. A task that throws anything, an {@link Error}
 * included, costs no worker; what it threw goes to the thread's uncaught exception handler for
 * {@link #execute}, and into the future for {@link #submit(Callable)}. The pool works on if its
 * controller fails.
 *
 * <p><b>Cost.</b> One object and two or three readings of the clock a task, no lock and no counter
 * that all threads share; docs/measurements.md has the figures. Above half a million tasks a second
 * and worker, which is more than a service does and less than a benchmark may, a random sample is
 * timed, and the {@linkplain TimeStats#count() count} of the times says how many; what is counted
 * stays exact. A task in such a stream that throws out of {@link #execute} may cost its thread,
 * which is replaced, if it is the first that this thread runs. With a goodput objective every task
 * is timed.
 */
public final class AdaptiveExecutor extends AbstractExecutorService
    implements Resizable, AutoCloseable {

  private final String name;
  private final Bounds bounds;
  private final Workers workers;
  private final PoolMeter meter;
  private final Pool pool;
  private final ControlLoop loop;

  /** Held while tasks are taken out and not counted yet, so that the last window counts them. */
  private final Object draining = new Object();

  private AdaptiveExecutor(Builder settings) {
    name = settings.name();
    bounds = settings.bounds();
    Ticker ticker = settings.ticker();
    meter = new PoolMeter(ticker, settings.objective());
    BlockingQueue<Runnable> queue = settings.queue();
    workers = new Workers(ticker, meter, queue, settings.measureCpu);
    pool =
        new Pool(settings.initialSize(), queue, settings.threadFactory, settings.rejectionPolicy);
    loop = settings.startLoop(this, this::closeWindow);
  }

  /**
   * Begins the description of a pool.
   *
   * @param name name of the pool in logs, JFR, JMX and, unless a thread factory is given, of its
   *     threads; not blank
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return pool.getCorePoolSize();
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    pool.resize(bounds.require("size", size));
  }

  @Override
  public List<Thread> workers() {
    return workers.threads();
  }

  /** The loop that tunes this pool: its mode, its last window and decision, its listeners. */
  public ControlLoop control() {
    return loop;
  }

  /** Tasks that wait now. */
  public int queued() {
    return pool.getQueue().size();
  }

  /** Takes a task out of the queue if it has not begun, as {@link ThreadPoolExecutor#remove}. */
  public boolean remove(Runnable task) {
    for (Iterator<Runnable> waiting = pool.getQueue().iterator(); waiting.hasNext(); ) {
      Runnable next = waiting.next();
      if (PlainTask.unwrap(next).equals(task) && pool.remove(next)) {
        meter.withdrawn(1);
        closeLoopIfTerminated();
        return true;
      }
    }
    return false;
  }

  @Override
  public void execute(Runnable command) {
    pool.execute(Objects.requireNonNull(command, "command"));
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
    return new SubmittedTask<>(runnable, value, meter.arrival());
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
    return new SubmittedTask<>(callable, meter.arrival());
  }

  @Override
  public void shutdown() {
    pool.shutdown();
    closeLoopIfTerminated();
  }

  @Override
  public List<Runnable> shutdownNow() {
    List<Runnable> unrun;
    synchronized (draining) {
      unrun = new ArrayList<>(pool.shutdownNow());
      meter.withdrawn(unrun.size());
    }
    closeLoopIfTerminated();
    unrun.replaceAll(PlainTask::unwrap);
    return unrun;
  }

  @Override
  public boolean isShutdown() {
    return pool.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return pool.isTerminated();
  }

  /**
   * Waits for the end of all tasks. Listeners have got the last window as well when it returns
   * true; for one that blocks it waits no longer than the timeout and than two seconds.
   */
  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    long began = System.nanoTime();
    boolean terminated = pool.awaitTermination(timeout, unit);
    if (terminated) {
      closeLoopIfTerminated();
      loop.awaitEnd(unit.toNanos(timeout) - (System.nanoTime() - began));
    }
    return terminated;
  }

  /** Not from the JDK's own hook: that runs with the pool locked, which a listener may need. */
  private void closeLoopIfTerminated() {
    boolean terminated;
    synchronized (draining) {
      terminated = pool.isTerminated();
    }
    if (terminated) {
      loop.end();
    }
  }

  /**
   * Shuts down and waits until all tasks have ended; if the waiting thread is interrupted, the
   * remaining tasks are interrupted and the wait goes on, as for every executor of JDK 19 and
   * later.
   */
  @Override
  public void close() {
    boolean interrupted = false;
    shutdown();
    boolean terminated = false;
    while (!terminated) {
      try {
        terminated = awaitTermination(1, TimeUnit.DAYS);
      } catch (InterruptedException e) {
        if (!interrupted) {
          shutdownNow();
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Window closeWindow(long now) {
    return meter.closeWindow(
        now,
        size(),
        queued(),
        pool.getCompletedTaskCount(),
        workers.usage(now),
        () -> workers.running() + queued());
  }

  /** Describes a pool. Settings are checked together and sealed when it is built. */
  public static final class Builder extends PoolBuilder<Builder> {
    private int queueCapacity = Integer.MAX_VALUE;
    private @Nullable BlockingQueue<Runnable> queue;
    private boolean queueInUse;
    private ThreadFactory threadFactory;
    private RejectedExecutionHandler rejectionPolicy = new ThreadPoolExecutor.AbortPolicy();
    private boolean measureCpu = true;

    private Builder(String name) {
      super(name, new Bounds(1, 256));
      AtomicInteger threads = new AtomicInteger();
      threadFactory = body -> new Thread(body, name + "-" + threads.incrementAndGet());
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * Most tasks that may wait, 1 or more; default unbounded. More are refused by the rejection
     * policy. Takes the place of a {@link #queue} that was given before.
     */
    public Builder queueCapacity(int capacity) {
      if (capacity < 1) {
        throw new IllegalArgumentException("queueCapacity must be >= 1, but is " + capacity);
      }
      queueCapacity = capacity;
      queue = null;
      return this;
    }

    /**
     * The queue of the one pool that is built next; default a {@link LinkedBlockingQueue} without
     * bound, one for each pool. Its {@code size()} is read once a task, so it should not have to
     * count. It holds the pool's own wrappers, so a queue that compares tasks cannot be used. Takes
     * the place of a {@link #queueCapacity} that was given before.
     */
    public Builder queue(BlockingQueue<Runnable> queue) {
      this.queue = Objects.requireNonNull(queue, "queue must not be null");
      queueInUse = false;
      return this;
    }

    /** What makes the threads; default threads that are no daemons, named after the pool. */
    public Builder threadFactory(ThreadFactory threadFactory) {
      this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory must not be null");
      return this;
    }

    /**
     * What becomes of a task when the queue is full or the pool is shut down; default {@link
     * ThreadPoolExecutor.AbortPolicy}. The handler gets the task as it was given to the pool.
     */
    public Builder rejectionPolicy(RejectedExecutionHandler rejectionPolicy) {
      this.rejectionPolicy =
          Objects.requireNonNull(rejectionPolicy, "rejectionPolicy must not be null");
      return this;
    }

    /**
     * Whether the CPU time of the workers is measured; default yes. It costs one system call a
     * worker and window, about half a microsecond.
     */
    public Builder measureCpu(boolean measureCpu) {
      this.measureCpu = measureCpu;
      return this;
    }

    /**
     * Builds the pool and starts its loop; no worker starts before the first task.
     *
     * @throws IllegalArgumentException naming settings that do not go together
     * @throws IllegalStateException naming the queue or the controller if it serves the pool that
     *     was built before
     */
    public AdaptiveExecutor build() {
      AdaptiveExecutor built = new AdaptiveExecutor(this);
      queueInUse = true;
      return built;
    }

    private BlockingQueue<Runnable> queue() {
      if (queue == null) {
        return new LinkedBlockingQueue<>(queueCapacity);
      }
      if (queueInUse) {
        throw new IllegalStateException(
            "the queue of '%s' serves the pool that was built first: give this one its own"
                .formatted(name()));
      }
      return queue;
    }
  }

  /** The pool inside: the JDK's, with the measuring in its hooks. */
  private final class Pool extends ThreadPoolExecutor {

    Pool(
        int size,
        BlockingQueue<Runnable> queue,
        ThreadFactory threads,
        RejectedExecutionHandler rejectionPolicy) {
      super(
          size,
          size,
          0,
          TimeUnit.NANOSECONDS,
          new WorkQueue(queue, meter),
          life ->
              threads.newThread(
                  () -> {
                    try {
                      workers.run(life);
                    } finally {
                      closeLoopIfTerminated();
                    }
                  }),
          (task, pool) -> {
            meter.rejected();
            rejectionPolicy.rejectedExecution(PlainTask.unwrap(task), pool);
          });
    }

    @Override
    public void execute(Runnable command) {
      // A new worker begins with a task that was never in the queue.
      boolean toNewWorker = workers.count() < getCorePoolSize();
      if (command instanceof SubmittedTask<?> task) {
        super.execute(toNewWorker ? new PlainTask(task, task.arrival()) : task);
      } else {
        long arrival = meter.arrival();
        super.execute(
            toNewWorker || arrival != PoolMeter.UNTIMED
                ? new PlainTask(command, arrival)
                : command);
      }
    }

    /** The JDK starts workers for waiting tasks when its core size grows, and keeps core <= max. */
    synchronized void resize(int size) {
      int before = getCorePoolSize();
      try {
        if (size > before) {
          setMaximumPoolSize(size);
          setCorePoolSize(size);
        } else {
          setCorePoolSize(size);
          setMaximumPoolSize(size);
        }
      } catch (
          Throwable e) { // No memory for a thread: the size must not promise what is not there.
        setCorePoolSize(Math.min(before, getCorePoolSize()));
        setMaximumPoolSize(before);
        throw e;
      }
    }
  }
}
