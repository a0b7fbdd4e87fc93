package io.poolkeeper.spring.pools;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.spi.TaskMeter;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * The threads of a {@link ThreadPoolTaskExecutor} that stays the bean it is. A task decorator
 * measures; core and maximum size are set to the same value, since threads above the core size stay
 * while tasks wait.
 *
 * <p>Where the queue is full, threads are added up to the maximum that the bean had at first, as
 * before; they leave once the queue has room. Tasks that are submitted keep what they throw in
 * their future, and count as completed.
 */
final class TaskExecutorThreads implements Resizable, Sensor {

  private final String name;
  private final Bounds bounds;
  private final ThreadPoolTaskExecutor executor;
  private final ThreadPoolExecutor threads;
  private final TaskMeter meter;
  private final int hostMaximum;
  private volatile @Nullable ControlLoop loop;

  /** Whether there may be more threads than the size, since the queue was full. */
  private boolean overflown;

  private TaskExecutorThreads(
      String name, Bounds bounds, Objective objective, ThreadPoolTaskExecutor executor) {
    this.name = name;
    this.bounds = bounds;
    this.executor = executor;
    this.threads = executor.getThreadPoolExecutor();
    this.hostMaximum = threads.getMaximumPoolSize();
    meter = new TaskMeter(objective, this::size, threads.getQueue()::size);
  }

  /**
   * Tunes the threads of an executor, until it is shut down.
   *
   * @param settings describes the loop
   */
  static TaskExecutorThreads install(
      String name,
      Bounds bounds,
      Objective objective,
      ThreadPoolTaskExecutor executor,
      Consumer<ControlLoop.Builder> settings) {
    TaskExecutorThreads tuned = new TaskExecutorThreads(name, bounds, objective, executor);
    TaskDecorator others =
        (TaskDecorator) new DirectFieldAccessor(executor).getPropertyValue(TaskExecutors.DECORATOR);
    ControlLoop.Builder builder =
        ControlLoop.tune(tuned).controller(Controllers.forObjective(objective));
    settings.accept(builder);
    tuned.loop = builder.start();
    executor.setTaskDecorator(task -> tuned.measured(task, others));
    tuned.threads.setRejectedExecutionHandler(
        tuned.new Overflow(tuned.threads.getRejectedExecutionHandler()));
    return tuned;
  }

  /** The loop that tunes the threads. */
  ControlLoop control() {
    return Objects.requireNonNull(loop, "the loop has started");
  }

  /** A task that comes again from the handler of overflows is measured already. */
  private Runnable measured(Runnable task, @Nullable TaskDecorator others) {
    return task instanceof MeasuredTask
        ? task
        : new MeasuredTask(others == null ? task : others.decorate(task));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return Math.max(1, threads.getCorePoolSize());
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public synchronized void resize(int size) {
    bounds.require("size", size);
    if (size > threads.getMaximumPoolSize()) {
      executor.setMaxPoolSize(size);
      executor.setCorePoolSize(size);
    } else {
      executor.setCorePoolSize(size);
      executor.setMaxPoolSize(size);
    }
  }

  @Override
  public Window closeWindow(long now) {
    ControlLoop running = loop;
    if (threads.isTerminated() && running != null) {
      running.close();
    }
    lowerMaximum();
    return meter.closeWindow(now);
  }

  /** Returns whether threads could be added for a task that found the queue full. */
  private synchronized boolean addThread() {
    int maximum = threads.getMaximumPoolSize();
    if (threads.isShutdown() || maximum >= hostMaximum) {
      return false;
    }
    threads.setMaximumPoolSize(maximum + 1);
    overflown = true;
    return true;
  }

  /** Lets the threads go that were added for a full queue. */
  private synchronized void lowerMaximum() {
    if (overflown && threads.getQueue().remainingCapacity() > 0) {
      threads.setMaximumPoolSize(size());
      overflown = false;
    }
  }

  /** Adds threads for tasks that find the queue full, and counts those that are refused. */
  private final class Overflow implements RejectedExecutionHandler {

    private final RejectedExecutionHandler policy;

    Overflow(RejectedExecutionHandler policy) {
      this.policy = policy;
    }

    @Override
    public void rejectedExecution(Runnable task, ThreadPoolExecutor pool) {
      if (addThread()) {
        pool.execute(task);
        return;
      }
      if (!(policy instanceof ThreadPoolExecutor.CallerRunsPolicy)) {
        meter.refused(0); // The caller's own run is measured as any other.
      }
      policy.rejectedExecution(task, pool);
    }
  }

  /** A task that tells the meter of its begin and its end. */
  private final class MeasuredTask implements Runnable {

    private final Runnable task;
    private final long arrival = System.nanoTime();

    MeasuredTask(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      TaskMeter.Run run = meter.began(System.nanoTime() - arrival);
      try {
        task.run();
        run.completed();
      } finally {
        run.failed(); // Nothing after completed().
      }
    }

    @Override
    public String toString() {
      return task.toString();
    }
  }
}
