package io.poolkeeper.testbed.controllers;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Window;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An {@link AdaptiveExecutor} whose size an {@link EventPolicy} decides. The pool's own loop
 * measures, and tells at the end of each window what the policy wants and why, so that windows,
 * records and reports are those of any pool. Its mode holds for the policy too: only in the active
 * one is the pool resized.
 *
 * <p><b>Locks.</b> Events reach the policy one at a time, under a lock that is held for nothing
 * else: tasks, thread factories, listeners and resizes run without it. Resizes are carried out by
 * one thread at a time, and the last size that was wanted is the one that stays.
 *
 * <p><b>State.</b> A worker that is about to take a task counts as busy from the moment at which
 * one of a simulated pool would be: tasks that are there keep as many workers busy as the size
 * allows. So a policy meets the same states here and in virtual time, apart from the microseconds
 * of a hand-over in the waits.
 *
 * <p><b>Faults.</b> A task that throws anything ends as failed and costs no worker. A policy that
 * throws, and a resize that fails, leave the size as it is; the first of each is logged as a
 * warning.
 *
 * <p><b>Cost.</b> Two turns at the lock a task, a microsecond and more when many threads want it:
 * for comparing policies, not for production.
 */
public final class PolicyExecutor extends AbstractExecutorService implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private final AdaptiveExecutor pool;
  private final EventPolicy policy;
  private final Ticker ticker;
  private final LoopTimer.Stop timer;
  private final ReentrantLock turn = new ReentrantLock();
  private final ReentrantLock resizing = new ReentrantLock();
  private final View view = new View();
  private final AtomicLong begun = new AtomicLong();
  private volatile int wanted;

  // Guarded by turn.
  private long present;
  private long left;
  private boolean failedBefore;

  private PolicyExecutor(
      AdaptiveExecutor.Builder settings, EventPolicy policy, Ticker ticker, LoopTimer timer) {
    this.policy = policy;
    this.ticker = ticker;
    if (policy.handoff() == Handoff.DIRECT) {
      settings.queue(new LinkedTransferQueue<>());
    }
    pool =
        settings
            .controller(new Spokesman())
            .ticker(ticker)
            .rejectionPolicy((task, pool) -> refuse())
            .build();
    wanted = pool.bounds().clamp(policy.initialSize());
    pool.resize(wanted);
    long interval = policy.interval();
    this.timer =
        interval == 0
            ? () -> {}
            : timer.start(pool.name() + "-policy", Duration.ofNanos(interval), this::tick);
  }

  /**
   * Starts a pool.
   *
   * @param settings name, bounds, window, mode, threads, listeners, queue of the pool; controller,
   *     clock and rejection policy are replaced, and the queue if the policy hands tasks over
   *     directly
   * @param policy one that has seen no event; this pool is the only one to call it
   */
  public static PolicyExecutor start(AdaptiveExecutor.Builder settings, EventPolicy policy) {
    return start(settings, policy, Ticker.system(), new DaemonTimer());
  }

  /** As the other one, with a clock, and what reports the passing of time. */
  public static PolicyExecutor start(
      AdaptiveExecutor.Builder settings, EventPolicy policy, Ticker ticker, LoopTimer timer) {
    return new PolicyExecutor(settings, policy, ticker, timer);
  }

  /** The pool inside: its windows and listeners. Its size is the policy's alone. */
  public AdaptiveExecutor pool() {
    return pool;
  }

  /** Why the policy wanted the last size that was not the one in force; empty before the first. */
  public String reason() {
    turn.lock();
    try {
      return policy.reason();
    } finally {
      turn.unlock();
    }
  }

  /**
   * Runs a task on the pool.
   *
   * @throws RejectedExecutionException if the queue is full or the pool is shut down
   */
  @Override
  public void execute(Runnable command) {
    Task task = new Task(Objects.requireNonNull(command, "command"), ticker.nanoTime());
    tell(Event.ARRIVED, task.arrival, 0, 0, Outcome.COMPLETED);
    try {
      pool.execute(task);
    } catch (Throwable e) { // Refused, or no memory for a thread: it will not run.
      drop(task);
      throw e;
    }
  }

  private void refuse() {
    throw new RejectedExecutionException(
        pool.name() + (pool.isShutdown() ? " is shut down" : ": the queue is full"));
  }

  private void drop(Task task) {
    long now = ticker.nanoTime();
    tell(Event.ENDED, now, now - task.arrival, 0, Outcome.DROPPED);
  }

  private void tick() {
    if (pool.isTerminated()) {
      timer.stop();
    } else {
      view.cpu = Processors.load();
      tell(Event.ELAPSED, ticker.nanoTime(), 0, 0, Outcome.COMPLETED);
    }
  }

  private enum Event {
    ARRIVED,
    ENDED,
    ELAPSED
  }

  /** Tells the policy, then does what it wants. Throws nothing, whatever the policy does. */
  private void tell(Event event, long at, long wait, long service, Outcome outcome) {
    turn.lock();
    try {
      view.see(at);
      int answer =
          switch (event) {
            case ARRIVED -> {
              present++;
              yield policy.arrived(view);
            }
            case ENDED -> {
              present--;
              if (outcome != Outcome.DROPPED) {
                left++;
              }
              yield policy.ended(view, wait, service, outcome);
            }
            case ELAPSED -> policy.elapsed(view);
          };
      wanted = pool.bounds().clamp(answer);
    } catch (Throwable e) { // Anybody's policy; tasks must not suffer from it.
      warn("the policy " + policy.name() + " failed, the size stays", e);
    } finally {
      turn.unlock();
    }
    follow();
  }

  /**
   * Brings the pool to the wanted size, unless another thread is at it: that one looks again when
   * it has finished, and finds what was wanted meanwhile.
   */
  private void follow() {
    while (pool.size() != wanted && pool.control().mode() == Mode.ACTIVE && resizing.tryLock()) {
      try {
        pool.resize(wanted);
      } catch (Throwable e) { // No memory for a thread, for example.
        wanted = pool.size();
        warn("the resize failed", e);
      } finally {
        resizing.unlock();
      }
    }
  }

  private void warn(String what, Throwable e) {
    boolean first;
    turn.lock();
    try {
      first = !failedBefore;
      failedBefore = true;
    } finally {
      turn.unlock();
    }
    LOG.log(first ? Level.WARNING : Level.DEBUG, pool.name() + ": " + what, e);
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
    return new Submitted<>(
        () -> {
          runnable.run();
          return value;
        });
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
    return new Submitted<>(callable);
  }

  @Override
  public void shutdown() {
    pool.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    List<Runnable> unrun = new ArrayList<>();
    for (Runnable task : pool.shutdownNow()) {
      drop((Task) task);
      unrun.add(((Task) task).command);
    }
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

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return pool.awaitTermination(timeout, unit);
  }

  /** Shuts down and waits for all tasks, as {@link AdaptiveExecutor#close}. */
  @Override
  public void close() {
    pool.close();
    timer.stop();
  }

  /** A task that says how it ended. */
  private final class Task implements Runnable {
    private final Runnable command;
    private final long arrival;

    Task(Runnable command, long arrival) {
      this.command = command;
      this.arrival = arrival;
    }

    @Override
    public void run() {
      begun.incrementAndGet();
      long start = ticker.nanoTime();
      Outcome outcome = Outcome.FAILED;
      try {
        command.run();
        if (!(command instanceof Submitted<?> submitted && submitted.failed)) {
          outcome = Outcome.COMPLETED;
        }
      } finally {
        long end = ticker.nanoTime();
        tell(Event.ENDED, end, start - arrival, end - start, outcome);
      }
    }
  }

  /** A future that knows whether its task threw. */
  private static final class Submitted<T> extends FutureTask<T> {
    private boolean failed;

    Submitted(Callable<T> callable) {
      super(callable);
    }

    /** Runs on the worker, before {@link #run} returns. */
    @Override
    protected void setException(Throwable thrown) {
      failed = true;
      super.setException(thrown);
    }
  }

  /** Tells at the end of a window what the policy wants. */
  private final class Spokesman implements Controller {
    @Override
    public Decision decide(Window window) {
      String why = reason();
      return Decision.towards(wanted, why.isEmpty() ? "as at the start" : why);
    }

    @Override
    public String name() {
      return policy.name();
    }
  }

  /** View of the pool that the policy gets; one object, its fields guarded by the lock. */
  private final class View implements PoolState {
    private long now;
    private boolean started;
    private long begunNow;
    private volatile double cpu = Double.NaN;

    /** Threads read the clock before they get their turn: the later reading holds. */
    void see(long at) {
      now = started ? now + Math.max(0, at - now) : at;
      started = true;
      begunNow = begun.get();
    }

    @Override
    public long now() {
      return now;
    }

    @Override
    public int size() {
      return pool.control().mode() == Mode.ACTIVE ? wanted : pool.size();
    }

    @Override
    public int busy() {
      return (int) Math.max(begunNow - left, Math.min(size(), present));
    }

    @Override
    public int queued() {
      return (int) present - busy();
    }

    @Override
    public long begun() {
      return begunNow;
    }

    @Override
    public double cpu() {
      return cpu;
    }
  }
}
