package io.poolkeeper.testbed.simulator.engine.pool;

import io.poolkeeper.Bounds;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.spi.EndedTasks;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.simulator.engine.event.Events;
import io.poolkeeper.testbed.simulator.engine.event.Queue;
import io.poolkeeper.testbed.simulator.engine.event.Tasks;
import io.poolkeeper.testbed.simulator.model.Pool;
import org.jspecify.annotations.Nullable;

/**
 * A pool in a run: what a controller resizes, and what makes its windows. It does to its tasks what
 * an {@link io.poolkeeper.AdaptiveExecutor} does: growth starts waiting tasks at once, shrinking
 * lets tasks end, and a full queue refuses only when no unit is free.
 *
 * <p>Its windows hold what those of an {@code AdaptiveExecutor} hold, times made by the same class,
 * but for two things: the mean queue is exact and not made from samples, and all tasks are timed.
 */
public final class SimulatedPool implements Resizable, Sensor, PoolState {

  /**
   * Tasks come from users and from other tiers alone: no tier calls itself, even through others.
   */
  private static final long SUBMITTED_BY_WORKERS = 0;

  private final String name;
  private final Bounds bounds;
  private final int queueCapacity;
  private final Events events;
  private final Tasks tasks;
  private final Queue waiting;
  private final Replica replica;
  private final boolean workers;
  private final PoolTotals totals;

  private int size;
  private int busy;
  private long begun;
  private long bound = Long.MAX_VALUE;

  private @Nullable PolicyRun policy;
  private @Nullable EndedTasks window;
  private PoolTotals.Reading windowStart = PoolTotals.Reading.ZERO;
  private int windowQueueMax;
  private double windowCpu;
  private double windowCollected;

  /**
   * @param workers whether it is the workers of the replica, whose CPU time its windows then have
   */
  public SimulatedPool(
      String name,
      Pool pool,
      Replica replica,
      boolean workers,
      Events events,
      Tasks tasks,
      PoolTotals totals) {
    this.name = name;
    this.bounds = pool.bounds();
    this.size = pool.size();
    this.queueCapacity = pool.queueCapacity();
    this.replica = replica;
    this.workers = workers;
    this.events = events;
    this.tasks = tasks;
    waiting = new Queue(tasks);
    this.totals = totals;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public int busy() {
    return busy;
  }

  @Override
  public int queued() {
    return waiting.size();
  }

  @Override
  public long begun() {
    return begun;
  }

  @Override
  public long now() {
    return events.now();
  }

  @Override
  public double cpu() {
    return policy == null ? Double.NaN : policy.cpu();
  }

  @Override
  public void resize(int size) {
    bounds.require("size", size);
    long now = events.now();
    totals.account(now, busy, waiting.size(), this.size);
    this.size = size;
    startWaiting(now);
  }

  /** Counts as {@link Window#withinBound} only what is answered within {@code nanos}. */
  public void bound(long nanos) {
    bound = nanos;
  }

  public PoolTotals totals() {
    totals.account(events.now(), busy, waiting.size(), size);
    return totals;
  }

  public void restartStatistics() {
    totals().restart(waiting.size());
  }

  /**
   * A task comes.
   *
   * @return whether it was taken, to run or to wait
   */
  public boolean offer(int task, long now) {
    totals.account(now, busy, waiting.size(), size);
    totals.arrivals++;
    tasks.arrived[task] = now;
    boolean taken = true;
    if (busy < size && waiting.isEmpty()) {
      start(task, now);
    } else if (waiting.size() < queueCapacity) {
      waiting.add(task);
      windowQueueMax = Math.max(windowQueueMax, waiting.size());
      totals.queueMax = Math.max(totals.queueMax, waiting.size());
    } else {
      totals.rejections++;
      taken = false;
    }
    if (policy != null) {
      policy.arrived();
      if (!taken) {
        policy.ended(0, 0, Outcome.DROPPED);
      }
    }
    return taken;
  }

  /** A task that runs has ended. */
  public void ended(int task, boolean failed, long now) {
    totals.account(now, busy, waiting.size(), size);
    long start = tasks.started[task];
    long wait = start - tasks.arrived[task];
    long service = now - start;
    if (failed) {
      totals.failures++;
    } else {
      totals.completions++;
    }
    totals.record(wait, service);
    if (window != null) {
      window.record(wait, service, failed, bound);
    }
    busy--;
    startWaiting(now);
    if (workers) {
      replica.busyChanged(busy, now);
    }
    if (policy != null) {
      policy.ended(wait, service, failed ? Outcome.FAILED : Outcome.COMPLETED);
    }
  }

  private void startWaiting(long now) {
    while (busy < size && !waiting.isEmpty()) {
      start(waiting.remove(), now);
    }
  }

  private void start(int task, long now) {
    busy++;
    begun++;
    tasks.started[task] = now;
    events.ready(task);
    if (workers) {
      replica.busyChanged(busy, now);
    }
  }

  /** Has a policy decide on the size, from its initial size on. */
  public void follow(PolicyRun policy) {
    this.policy = policy;
  }

  Replica replica() {
    return replica;
  }

  /** Begins to measure for windows. */
  public void observe() {
    if (window == null) {
      window = new EndedTasks();
      beginWindow(events.now());
    }
  }

  @Override
  public Window closeWindow(long now) {
    if (window == null) {
      throw new IllegalStateException(name + " is not observed");
    }
    totals.account(now, busy, waiting.size(), size);
    PoolTotals.Reading end = totals.reading();
    long length = end.at() - windowStart.at();
    long completions = end.completions() - windowStart.completions();
    long failures = end.failures() - windowStart.failures();
    EndedTasks.Times times = window.close();
    double cpu = workers ? replica.cpu(now) : Double.NaN;
    double collected = replica.collected;
    Window closed =
        Window.builder(windowStart.at(), now, size)
            .busy(length > 0 ? (end.busyArea() - windowStart.busyArea()) / length : busy)
            .queue(
                length > 0 ? (end.queueArea() - windowStart.queueArea()) / length : waiting.size(),
                windowQueueMax)
            .arrivals(end.arrivals() - windowStart.arrivals())
            .completions(completions)
            .failures(failures)
            .rejections(end.rejections() - windowStart.rejections())
            .withinBound(window.withinBound())
            .times(times.queueWait(), times.serviceTime(), times.responseTime())
            .cpu(
                nanosOrNotMeasured(cpu - windowCpu),
                nanosOrNotMeasured(cpu - windowCpu + (collected - windowCollected) * replica.cores))
            .gc(workers ? Math.round(collected - windowCollected) : Window.NOT_MEASURED)
            .queuedByWorkers(
                failures + completions > 0 ? Window.NOT_MEASURED : SUBMITTED_BY_WORKERS)
            .build();
    window.reset();
    beginWindow(now);
    return closed;
  }

  private void beginWindow(long now) {
    totals.account(now, busy, waiting.size(), size);
    windowStart = totals.reading();
    windowQueueMax = waiting.size();
    windowCpu = workers ? replica.cpu(now) : Double.NaN;
    windowCollected = replica.collected;
  }

  private static long nanosOrNotMeasured(double nanos) {
    return Double.isNaN(nanos) ? Window.NOT_MEASURED : Math.round(nanos);
  }
}
