package io.poolkeeper;

import io.poolkeeper.internal.executor.AsyncTask;
import io.poolkeeper.internal.executor.ForeignWorkQueue;
import io.poolkeeper.internal.executor.Intake;
import io.poolkeeper.internal.executor.LinkedWorkQueue;
import io.poolkeeper.internal.executor.PoolMeter;
import io.poolkeeper.internal.executor.PoolSensor;
import io.poolkeeper.internal.executor.Refusals;
import io.poolkeeper.internal.executor.SubmittedTask;
import io.poolkeeper.internal.executor.TaskQueueView;
import io.poolkeeper.internal.executor.WorkQueue;
import io.poolkeeper.internal.executor.Workers;
import io.poolkeeper.spi.Ticker;
import io.poolkeeper.spi.WorkerSensor;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread pool that measures itself and keeps itself at its best size. It takes the place of a
 * {@link ThreadPoolExecutor}: bounds, queue, thread factory, rejection policy and shutdown mean
 * what the JDK documents, and the methods that monitoring uses are here under the same names.
 *
 * <pre>{@code
 * var pool = AdaptiveExecutor.builder("orders").build();
 * }</pre>
 *
 * <p><b>Choosing settings.</b> The defaults suit most services. Set an objective to optimise
 * something other than throughput. Set bounds if more threads would overload another system, such
 * as a database that admits 50 connections. Set a queue capacity to refuse callers instead of
 * letting them wait for long. Use dry-run to see what the pool would do before it does it.
 *
 * <p><b>When not to use it.</b> For tasks of a few microseconds use a fixed pool of as many threads
 * as processors, or no pool: the hand-over costs more than the task. No size is right for tasks
 * that wait for other tasks of the same pool. With virtual threads there is no pool to size: limit
 * admission with an {@link AdaptiveLimiter}.
 *
 * <p><b>Guarantees.</b> Growth starts threads at once while tasks wait. Shrinking interrupts no
 * task: workers leave when their task has ended. A task that throws, even an {@link Error}, does
 * not end its worker. The exception goes to the thread's uncaught exception handler for {@link
 * #execute}, and into the future for {@link #submit(Callable)}. The pool keeps working if its
 * controller fails.
 *
 * <p><b>Tasks that never end.</b> The {@link #size()} counts the workers that can take tasks. A
 * worker whose task is resident is not counted, as long as there are no more workers than the
 * maximum of the bounds. A task becomes resident after a minute in which a hundred others ended, or
 * after an hour; in both cases only if it has run ten times as long as the longest task that ended
 * meanwhile. Windows exclude the busy time and the CPU time of residents.
 *
 * <p>When no task has ended for {@link Builder#hangAfter} while others wait, one more worker may
 * start, in every mode. To make room for it, tasks that have run ten times as long as any that
 * ended lately become resident at once. The next worker may start after the same time if workers of
 * the pool submitted waiting tasks, and otherwise after twice the time. If no task has ever ended,
 * this takes a minute, and happens only if the size was lowered below the number of running tasks.
 *
 * <p><b>Tasks that wait for each other.</b> Use separate pools where tasks wait for tasks: if all
 * workers wait for tasks in the queue of their own pool, nothing ends. The pool knows which waiting
 * tasks its workers submitted ({@link Window#queuedByWorkers}). If such tasks wait and nothing
 * ends, the default controller adds two workers a second. The pool cannot see a task that another
 * thread submits on behalf of a worker, such as {@code thenApplyAsync(next, pool)} of a future that
 * another pool completes, nor a task that waits for room in a full queue. In these cases it adds a
 * worker after 10 s, 30 s, 70 s and so on.
 *
 * <p><b>Cost.</b> Each task costs one object and two clock readings. A lock that all threads share
 * is held only while a task changes hands. docs/measurements.md has the figures.
 */
public final class AdaptiveExecutor extends AbstractExecutorService
    implements Resizable, AutoCloseable {

  private final String name;
  private final Bounds bounds;
  private final WorkQueue queue;
  private final Workers workers;
  private final Intake intake;
  private final Refusals refusals;
  private final RejectedExecutionHandler rejectionPolicy;
  private final ThreadPoolExecutor poolOfPolicy;
  private final ControlLoop loop;

  private AdaptiveExecutor(Builder settings) {
    name = settings.name();
    bounds = settings.bounds();
    Ticker ticker = settings.ticker();
    WorkerSensor sensor = settings.makeSensor();
    queue = settings.workQueue();
    PoolMeter meter = new PoolMeter(ticker.nanoTime(), settings.objective());
    workers =
        new Workers(
            queue,
            sensor == null ? settings.threadFactory : watched(settings.threadFactory, sensor),
            meter,
            ticker,
            settings.measureCpu,
            settings.initialSize(),
            bounds.maximum(),
            this::closeLoopIfTerminated);
    workers.keepAlive(settings.keepAlive);
    refusals = new Refusals(meter);
    intake = new Intake(queue, workers, refusals, ticker);
    rejectionPolicy = settings.rejectionPolicy;
    poolOfPolicy =
        new PoolOfPolicy(
            this,
            new TaskQueueView(queue, workers, refusals, ticker),
            settings.threadFactory,
            rejectionPolicy);
    loop =
        settings.startLoop(
            this,
            new PoolSensor(name, meter, queue, workers, intake, sensor, settings.hangAfter()));
  }

  private static ThreadFactory watched(ThreadFactory factory, WorkerSensor sensor) {
    return body -> factory.newThread(sensor.watch(body));
  }

  /**
   * Returns a builder of a pool.
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
    return workers.size();
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    workers.resize(bounds.require("size", size));
  }

  @Override
  public List<Thread> workers() {
    return workers.threads();
  }

  /** Returns the loop that tunes this pool: its mode, last window, last decision and listeners. */
  public ControlLoop control() {
    return loop;
  }

  /** Returns the number of waiting tasks. */
  public int queued() {
    return queue.size();
  }

  /** Returns the number of workers whose task is resident; the size does not count them. */
  public int residents() {
    return workers.residents();
  }

  @Override
  public void execute(Runnable command) {
    if (!intake.take(command)) {
      reject(command);
    }
  }

  private void reject(Runnable task) {
    if (task instanceof SubmittedTask<?> submitted) {
      submitted.ranElsewhere();
    }
    refusals.handle(task, rejectionPolicy, poolOfPolicy);
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
    return new SubmittedTask<>(runnable, value, workers);
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
    return new SubmittedTask<>(callable, workers);
  }

  /**
   * Runs a task and completes the future with its value. Prefer it to {@link
   * CompletableFuture#supplyAsync(Supplier, java.util.concurrent.Executor)} with this pool, which
   * hides failures from the pool; here a task that throws counts as a failure.
   */
  public <T> CompletableFuture<T> supplyAsync(Supplier<? extends T> task) {
    AsyncTask<T> future =
        new AsyncTask<>(Objects.requireNonNull(task, "task must not be null"), this);
    execute(future);
    return future;
  }

  /** Runs a task and completes the future when it has ended; as {@link #supplyAsync}. */
  public CompletableFuture<@Nullable Void> runAsync(Runnable task) {
    Objects.requireNonNull(task, "task must not be null");
    return this.<@Nullable Void>supplyAsync(
        () -> {
          task.run();
          return null;
        });
  }

  /** Removes a task from the queue if it has not begun, as {@link ThreadPoolExecutor#remove}. */
  public boolean remove(Runnable task) {
    return poolOfPolicy.getQueue().remove(task);
  }

  /** Removes all cancelled futures from the queue, as {@link ThreadPoolExecutor#purge}. */
  public void purge() {
    poolOfPolicy.getQueue().removeIf(task -> task instanceof Future<?> f && f.isCancelled());
  }

  /**
   * Starts a worker that waits for tasks; false if the size is reached, the pool is shut down, or
   * the thread factory returns null.
   */
  public boolean prestartCoreThread() {
    return workers.start(null);
  }

  /** Starts idle workers up to the size; returns how many it started. */
  public int prestartAllCoreThreads() {
    int started = 0;
    while (workers.start(null)) {
      started++;
    }
    return started;
  }

  /** Returns the number of workers, idle or busy, as {@link ThreadPoolExecutor#getPoolSize}. */
  public int getPoolSize() {
    return workers.count();
  }

  /** Returns the number of busy workers, as {@link ThreadPoolExecutor#getActiveCount}. */
  public int getActiveCount() {
    return workers.running();
  }

  /**
   * Returns the largest number of workers so far, as {@link ThreadPoolExecutor#getLargestPoolSize}.
   */
  public int getLargestPoolSize() {
    return workers.largestCount();
  }

  /**
   * Returns the number of tasks that ended, run or wait, as {@link
   * ThreadPoolExecutor#getTaskCount}.
   */
  public long getTaskCount() {
    return workers.completed() + workers.running() + queue.size();
  }

  /**
   * Returns the number of tasks that workers ended, as {@link
   * ThreadPoolExecutor#getCompletedTaskCount}.
   */
  public long getCompletedTaskCount() {
    return workers.completed();
  }

  /**
   * Returns the time after which an idle worker leaves; {@link Long#MAX_VALUE} nanoseconds for
   * never.
   */
  public long getKeepAliveTime(TimeUnit unit) {
    return unit.convert(workers.keepAlive(), TimeUnit.NANOSECONDS);
  }

  /**
   * Changes the time after which idle workers leave. It holds for all workers, as after {@link
   * ThreadPoolExecutor#allowCoreThreadTimeOut}.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public void setKeepAliveTime(long time, TimeUnit unit) {
    Objects.requireNonNull(unit, "unit must not be null");
    workers.keepAlive(Builder.requireKeepAlive(Duration.ofNanos(unit.toNanos(time))));
  }

  @Override
  public void shutdown() {
    workers.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return workers.stop();
  }

  @Override
  public boolean isShutdown() {
    return !workers.isRunning();
  }

  /**
   * Returns whether it is shut down and still has workers, as {@link
   * ThreadPoolExecutor#isTerminating}.
   */
  public boolean isTerminating() {
    return isShutdown() && !isTerminated();
  }

  @Override
  public boolean isTerminated() {
    return workers.isTerminated();
  }

  /**
   * Waits until all tasks have ended, and then until the listeners have received the last window,
   * for the rest of the timeout but at most two seconds. Returns true if all tasks have ended, even
   * if a listener blocks.
   */
  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    long began = System.nanoTime();
    boolean terminated = workers.awaitTermination(unit.toNanos(timeout));
    if (terminated) {
      closeLoopIfTerminated();
      loop.awaitEnd(unit.toNanos(timeout) - (System.nanoTime() - began));
    }
    return terminated;
  }

  private void closeLoopIfTerminated() {
    if (workers.isTerminated()) {
      loop.end();
    }
  }

  /**
   * Shuts down and waits until all tasks have ended. If the waiting thread is interrupted, it
   * interrupts the remaining tasks and keeps waiting, like every executor of JDK 19 and later.
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

  /** Returns sizes, workers and tasks in the format of {@link ThreadPoolExecutor#toString}. */
  @Override
  public String toString() {
    return name + workers.describe(bounds.minimum());
  }

  /** Builder of a pool. Settings that depend on each other are checked when the pool is built. */
  public static final class Builder extends PoolBuilder<Builder> {
    private int queueCapacity = Integer.MAX_VALUE;
    private long keepAlive = Long.MAX_VALUE;
    private @Nullable BlockingQueue<Runnable> queue;
    private boolean queueInUse;
    private ThreadFactory threadFactory;
    private RejectedExecutionHandler rejectionPolicy = new ThreadPoolExecutor.AbortPolicy();
    private boolean measureCpu = true;
    private @Nullable Supplier<? extends WorkerSensor> sensors;
    private @Nullable WorkerSensor sensor;

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
     * Sets the largest number of waiting tasks, 1 or more; default unbounded. The rejection policy
     * handles further tasks. Replaces a {@link #queue} that was set before.
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
     * Sets the queue of the next pool that is built; default an unbounded linked queue, first in,
     * first out, which is faster than a {@link LinkedBlockingQueue}. The queue holds wrappers of
     * the pool, so it must not compare tasks. Replaces a {@link #queueCapacity} that was set
     * before.
     */
    public Builder queue(BlockingQueue<Runnable> queue) {
      this.queue = Objects.requireNonNull(queue, "queue must not be null");
      queueInUse = false;
      return this;
    }

    /**
     * Sets the time after which an idle worker leaves, even if there are no more workers than the
     * size; more than 0, default never. The next task starts a new worker.
     */
    public Builder keepAlive(Duration keepAlive) {
      this.keepAlive = requireKeepAlive(keepAlive);
      return this;
    }

    private static long requireKeepAlive(Duration keepAlive) {
      Objects.requireNonNull(keepAlive, "keepAlive must not be null");
      if (keepAlive.isNegative() || keepAlive.isZero()) {
        throw new IllegalArgumentException("keepAlive must be positive, but is " + keepAlive);
      }
      return TimeUnit.NANOSECONDS.convert(keepAlive);
    }

    /** Sets the thread factory; default non-daemon threads named after the pool. */
    public Builder threadFactory(ThreadFactory threadFactory) {
      this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory must not be null");
      return this;
    }

    /**
     * Sets the handler of tasks that find the queue full or the pool shut down; default {@link
     * ThreadPoolExecutor.AbortPolicy}. The handler receives the task that the user submitted.
     */
    public Builder rejectionPolicy(RejectedExecutionHandler rejectionPolicy) {
      this.rejectionPolicy =
          Objects.requireNonNull(rejectionPolicy, "rejectionPolicy must not be null");
      return this;
    }

    /**
     * Sets whether the CPU time of the workers is measured; default true. It costs one system call,
     * about half a microsecond, for each worker and window.
     */
    public Builder measureCpu(boolean measureCpu) {
      this.measureCpu = measureCpu;
      return this;
    }

    /**
     * Sets the supplier of a sensor that measures more of the workers than the pool does; default
     * none. The objective of the sensor becomes the default of the pool. {@code
     * sensor(DiskSensor::new)}, of the module poolkeeper-linux, makes a pool for file I/O.
     *
     * @param sensors called once for each pool that is built; throws if the machine cannot measure
     *     what the sensor needs
     */
    public Builder sensor(Supplier<? extends WorkerSensor> sensors) {
      this.sensors = Objects.requireNonNull(sensors, "sensor must not be null");
      return this;
    }

    @Override
    Objective standardObjective() {
      return sensor == null ? super.standardObjective() : sensor.objective();
    }

    private @Nullable WorkerSensor makeSensor() {
      sensor = sensors == null ? null : sensors.get();
      if (sensor == null && objective().equals(Objective.diskThroughput())) {
        throw new IllegalArgumentException(
            "objective disk-throughput needs a sensor that counts bytes, such as"
                + " sensor(DiskSensor::new) of poolkeeper-linux");
      }
      return sensor;
    }

    /**
     * Builds the pool and starts its loop; no worker starts before the first task.
     *
     * @throws IllegalArgumentException if settings contradict each other, naming them
     * @throws IllegalStateException if the queue or the controller is already used by the pool
     *     built before
     */
    public AdaptiveExecutor build() {
      AdaptiveExecutor built = new AdaptiveExecutor(this);
      queueInUse = true;
      return built;
    }

    private WorkQueue workQueue() {
      if (queue == null) {
        return new LinkedWorkQueue(queueCapacity);
      }
      if (queueInUse) {
        throw new IllegalStateException(
            "the queue of '%s' is used by the pool that was built first: give this pool its own"
                .formatted(name()));
      }
      return new ForeignWorkQueue(queue);
    }
  }
}
