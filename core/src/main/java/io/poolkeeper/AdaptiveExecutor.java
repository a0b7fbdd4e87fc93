package io.poolkeeper;

import io.poolkeeper.internal.executor.AsyncTask;
import io.poolkeeper.internal.executor.ForeignWorkQueue;
import io.poolkeeper.internal.executor.LinkedWorkQueue;
import io.poolkeeper.internal.executor.PoolMeter;
import io.poolkeeper.internal.executor.Refusals;
import io.poolkeeper.internal.executor.SubmittedTask;
import io.poolkeeper.internal.executor.Task;
import io.poolkeeper.internal.executor.TaskQueueView;
import io.poolkeeper.internal.executor.WorkQueue;
import io.poolkeeper.internal.executor.Workers;
import io.poolkeeper.internal.loop.HangWatch;
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
import java.util.concurrent.atomic.AtomicLong;
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
 * <p><b>Tasks that never end.</b> The {@link #size()} counts workers that can take tasks. One whose
 * task is resident comes on top, up to the maximum of the bounds: a task that has run for a minute
 * while a hundred others ended, or else for an hour, and ten times as long as the longest that
 * ended meanwhile. When no task has ended for {@link Builder#hangAfter} while others wait, one more
 * worker may start: for that as many tasks as needed are resident at once if they have run ten
 * times as long as any that ended lately. The next one may start after the same time where tasks
 * wait that the pool's own workers submitted, and else after twice the time. Where none has ever
 * ended, this takes a minute, and happens only after the size was lowered below the tasks that run.
 * It happens in every mode. Windows hold neither the busy time nor the CPU time of residents.
 *
 * <p><b>Tasks that wait for each other.</b> A task that submits another to its own pool and waits
 * for it can leave no worker for that one. The pool knows which waiting tasks its workers submitted
 * ({@link Window#queuedByWorkers}); where nothing ends, the default controller adds workers for
 * those, two a second. It does not know of a task that another thread submits on behalf of a
 * worker, such as {@code thenApplyAsync(next, pool)} of a future that another pool completes, nor
 * of one that waits for room in a full queue: there a worker is added after 10 s, 30 s, 70 s and so
 * on. Use separate pools where tasks wait for tasks.
 *
 * <p><b>Cost.</b> One object and two readings of the clock a task, no lock that all threads share
 * for longer than a task takes to change hands; docs/measurements.md has the figures.
 */
public final class AdaptiveExecutor extends AbstractExecutorService
    implements Resizable, AutoCloseable {

  private final String name;
  private final Bounds bounds;
  private final Ticker ticker;
  private final WorkQueue queue;
  private final PoolMeter meter;
  private final Workers workers;
  private final Refusals refusals;
  private final RejectedExecutionHandler rejectionPolicy;
  private final ThreadPoolExecutor poolOfPolicy;
  private final ControlLoop loop;

  /** Measures the workers beyond the meter; null if nothing does. */
  private final @Nullable WorkerSensor sensor;

  /** Watches again after each report, so that it reports again if the pool hangs still. */
  private final HangWatch hangWatch;

  /** Tasks that were added to the queue and then refused, as the pool was shut down meanwhile. */
  private final AtomicLong takenBack = new AtomicLong();

  private AdaptiveExecutor(Builder settings) {
    name = settings.name();
    bounds = settings.bounds();
    ticker = settings.ticker();
    sensor = settings.makeSensor();
    queue = settings.workQueue();
    meter = new PoolMeter(ticker.nanoTime(), settings.objective());
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
    rejectionPolicy = settings.rejectionPolicy;
    poolOfPolicy =
        new PoolOfPolicy(
            this,
            new TaskQueueView(queue, workers, refusals, ticker),
            settings.threadFactory,
            rejectionPolicy);
    hangWatch = new HangWatch(settings.hangAfter());
    loop = settings.startLoop(this, this::closeWindow);
  }

  private static ThreadFactory watched(ThreadFactory factory, WorkerSensor sensor) {
    return body -> factory.newThread(sensor.watch(body));
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

  /** The loop that tunes this pool: its mode, its last window and decision, its listeners. */
  public ControlLoop control() {
    return loop;
  }

  /** Tasks that wait now. */
  public int queued() {
    return queue.size();
  }

  /** Workers whose task is resident, so that the size does not count them. */
  public int residents() {
    return workers.residents();
  }

  @Override
  public void execute(Runnable command) {
    Task task =
        new Task(Objects.requireNonNull(command, "command must not be null"), ticker.nanoTime());
    if (workers.isRunning() && (begin(task) || enqueue(task))) {
      refusals.taken(command);
    } else {
      reject(command);
    }
  }

  /** Starts a worker with the task. It may wait for another worker if this one cannot start. */
  private boolean begin(Task task) {
    try {
      return workers.start(task);
    } catch (Throwable e) {
      if (workers.count() == 0) {
        throw e;
      }
      return false;
    }
  }

  private boolean enqueue(Task task) {
    workers.noteSubmitter(task);
    if (!queue.offer(task)) {
      return begin(task); // A worker may have left meanwhile.
    }
    if (!workers.isRunning() && takeBack(task)) {
      return false;
    }
    try {
      workers.ensureWorker();
    } catch (Throwable e) {
      if (takeBack(task)) {
        throw e;
      }
    }
    return true;
  }

  private boolean takeBack(Task task) {
    boolean removed = queue.remove(element -> element == task, 1) > 0;
    if (removed) {
      takenBack.incrementAndGet();
      workers.tasksWereRemoved();
    }
    return removed;
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
   * Runs a task and completes the future with its value. As {@link
   * CompletableFuture#supplyAsync(Supplier, java.util.concurrent.Executor)} with this pool, which
   * hides from it whether the task fails; here it is counted.
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

  /** Takes a task out of the queue if it has not begun, as {@link ThreadPoolExecutor#remove}. */
  public boolean remove(Runnable task) {
    return poolOfPolicy.getQueue().remove(task);
  }

  /** Takes all cancelled futures out of the queue, as {@link ThreadPoolExecutor#purge}. */
  public void purge() {
    poolOfPolicy.getQueue().removeIf(task -> task instanceof Future<?> f && f.isCancelled());
  }

  /**
   * Starts a worker that waits for tasks; false if there are as many as the size, if the pool is
   * shut down, or if the thread factory makes none.
   */
  public boolean prestartCoreThread() {
    return workers.start(null);
  }

  /** Starts as many workers as the size, which wait for tasks; returns how many. */
  public int prestartAllCoreThreads() {
    int started = 0;
    while (workers.start(null)) {
      started++;
    }
    return started;
  }

  /** Workers, in a task or not, as {@link ThreadPoolExecutor#getPoolSize}. */
  public int getPoolSize() {
    return workers.count();
  }

  /** Workers in a task, as {@link ThreadPoolExecutor#getActiveCount}. */
  public int getActiveCount() {
    return workers.running();
  }

  /** Most workers that there ever were, as {@link ThreadPoolExecutor#getLargestPoolSize}. */
  public int getLargestPoolSize() {
    return workers.largestCount();
  }

  /** Tasks that are done, run or wait, as {@link ThreadPoolExecutor#getTaskCount}. */
  public long getTaskCount() {
    return workers.completed() + workers.running() + queue.size();
  }

  /** Tasks that workers are done with, as {@link ThreadPoolExecutor#getCompletedTaskCount}. */
  public long getCompletedTaskCount() {
    return workers.completed();
  }

  /** The time after which an idle worker leaves; {@link Long#MAX_VALUE} nanoseconds for never. */
  public long getKeepAliveTime(TimeUnit unit) {
    return unit.convert(workers.keepAlive(), TimeUnit.NANOSECONDS);
  }

  /**
   * Changes the time after which idle workers leave, all of them as after {@link
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

  /** Whether it is shut down and still has workers, as {@link ThreadPoolExecutor#isTerminating}. */
  public boolean isTerminating() {
    return isShutdown() && !isTerminated();
  }

  @Override
  public boolean isTerminated() {
    return workers.isTerminated();
  }

  /**
   * Waits for the end of all tasks, and then for the listeners to get the last window: for those no
   * longer than the rest of the timeout, and than two seconds. True if all tasks have ended, even
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

  /** The state: sizes, workers and tasks, in the words of {@link ThreadPoolExecutor#toString}. */
  @Override
  public String toString() {
    return name + workers.describe(bounds.minimum());
  }

  private Window closeWindow(long now) {
    Window measured =
        meter.closeWindow(
            now,
            size(),
            queued(),
            workers.usage(now),
            () -> queue.added() - takenBack.get() + workers.startedWithTask(),
            queue::submittedByWorkers);
    Window window = sensor == null ? measured : sensor.complete(measured);
    boolean hangs = hangWatch.see(window).isPresent();
    boolean madeRoom = workers.review(window, hangs);
    if (hangs && window.queuedByWorkers() > 0) {
      hangWatch.restart(); // Workers may be waiting for these tasks.
    } else if (hangs) { // Each further worker is less likely to help than the one before.
      hangWatch.watchAgain(madeRoom);
    }
    return window;
  }

  /** Describes a pool. Settings are checked together and sealed when it is built. */
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
     * The queue of the one pool that is built next; default a linked one without bound, first in,
     * first out, which is faster than a {@link LinkedBlockingQueue}. It holds the pool's own
     * wrappers, so a queue that compares tasks cannot be used. Takes the place of a {@link
     * #queueCapacity} that was given before.
     */
    public Builder queue(BlockingQueue<Runnable> queue) {
      this.queue = Objects.requireNonNull(queue, "queue must not be null");
      queueInUse = false;
      return this;
    }

    /**
     * Time after which an idle worker leaves, even if there are no more of them than the size; more
     * than 0, default never. The next task starts another one.
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

    /** Sets the factory of threads; default threads that are no daemons, named after the pool. */
    public Builder threadFactory(ThreadFactory threadFactory) {
      this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory must not be null");
      return this;
    }

    /**
     * Sets the handler of tasks that find the queue full or the pool shut down; default {@link
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
     * Sets the maker of a sensor that measures the workers beyond what the pool does itself;
     * default none. Its objective is the default of the pool. {@code sensor(DiskSensor::new)} of
     * the module poolkeeper-linux makes a pool for files of it.
     *
     * @param sensors called once for each pool that is built; throws where the machine cannot
     *     measure what is asked of it
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
     * @throws IllegalArgumentException naming settings that do not go together
     * @throws IllegalStateException naming the queue or the controller if it serves the pool that
     *     was built before
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
            "the queue of '%s' serves the pool that was built first: give this one its own"
                .formatted(name()));
      }
      return new ForeignWorkQueue(queue);
    }
  }
}
