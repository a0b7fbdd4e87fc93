package io.poolkeeper.testbed.simulator.engine.station;

import io.poolkeeper.testbed.simulator.engine.event.Events;
import io.poolkeeper.testbed.simulator.engine.event.Queue;
import io.poolkeeper.testbed.simulator.engine.event.Tasks;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Serves up to {@code limit} tasks at once, whose total rate is a function of their number and is
 * shared equally; the speed may change at any time.
 *
 * <p>All tasks in service get the same amount of work done in the same time, so one number, the
 * work done for each since the start, serves for all (virtual time of processor sharing): a task is
 * done when that number has grown by its work. Tasks lie in a heap by the number at which they are
 * done, and a change of speed touches none of them.
 *
 * <p>Under a quota the speed is 0 from the moment at which the CPU time of a period is used up
 * until the next period begins.
 */
public final class SharingServer extends Server {

  private final int number;
  private final Events events;
  private final int limit;
  private double cpuPerWork;
  private final Queue waiting;
  private IntToDoubleFunction rate;
  private @Nullable CpuBudget budget;

  /** Rate of each of {@code k} tasks; made when it is first needed. */
  private double[] rateOfEach = new double[16];

  private int computedRates;

  private double noise = 1;
  private double overhead = 1;

  private double workDone;
  private long workDoneAt;
  private double[] doneAt = new double[16];
  private int[] served = new int[16];
  private int servedCount;
  private double[] waitingWork = new double[0];

  /** When the next task is done if nothing changes. */
  private long plannedFor = Time.NEVER;

  /** Earliest wake-up on the calendar; later ones that are not needed any more are ignored. */
  private long wakeUp = Time.NEVER;

  /**
   * @param number as which events name it
   * @param cores for the statistics; 0 for a curve
   * @param limit most tasks served at once
   * @param cpuPerWork CPU seconds a unit of work, negative if that is not known
   */
  public SharingServer(
      String name,
      int number,
      int cores,
      int limit,
      IntToDoubleFunction rate,
      double cpuPerWork,
      Events events,
      Tasks tasks) {
    super(name, cores);
    this.number = number;
    this.events = events;
    this.limit = limit;
    this.rate = rate;
    this.cpuPerWork = cpuPerWork;
    waiting = new Queue(tasks);
    if (cpuPerWork < 0) {
      cpuNotMeasured();
    }
  }

  /** Puts a quota in force; before the first task. */
  public void limit(CpuBudget quota) {
    budget = quota;
  }

  @Override
  public void enter(int task, double work, long now) {
    progress(now);
    if (servedCount < limit) {
      serve(task, work);
    } else {
      if (task >= waitingWork.length) {
        waitingWork = Arrays.copyOf(waitingWork, Math.max(task + 1, 2 * waitingWork.length));
      }
      waitingWork[task] = work;
      waiting.add(task);
    }
    plan(now);
  }

  @Override
  public void due(long now) {
    if (now != wakeUp) {
      return;
    }
    wakeUp = Time.NEVER;
    progress(now);
    while (servedCount > 0 && doneAt[0] <= workDone) {
      events.ready(removeFirst());
      if (!waiting.isEmpty()) {
        int next = waiting.remove();
        serve(next, waitingWork[next]);
      }
    }
    if (servedCount == 0) {
      // Starting again from 0 keeps the precision of long runs.
      workDone = 0;
    }
    plan(now);
  }

  /**
   * Another rate, from now on.
   *
   * @param cpu CPU seconds a unit of work, negative to leave it
   */
  public void rate(IntToDoubleFunction changed, double cpu, long now) {
    progress(now);
    rate = changed;
    if (cpu >= 0) {
      cpuPerWork = cpu;
    }
    computedRates = 0;
    plan(now);
  }

  /** Another speed, 0 or more; the CPU works in proportion. */
  public void noise(double factor, long now) {
    progress(now);
    noise = factor;
    plan(now);
  }

  /** Another speed, with the CPU as busy as without. */
  public void overhead(double factor, long now) {
    if (factor != overhead) {
      progress(now);
      overhead = factor;
      plan(now);
    }
  }

  @Override
  int present() {
    return servedCount + waiting.size();
  }

  @Override
  int served() {
    return servedCount;
  }

  @Override
  double busy() {
    return budget == null ? super.busy() : cpuRate();
  }

  @Override
  double capacity() {
    return budget == null ? super.capacity() : budget.cores();
  }

  @Override
  double cpuRate() {
    return servedCount == 0 || cpuPerWork < 0 || stopped()
        ? 0
        : rateOfEach(servedCount) * servedCount * noise * cpuPerWork;
  }

  private void progress(long now) {
    account(now);
    if (servedCount > 0 && now > workDoneAt) {
      workDone += Time.seconds(now - workDoneAt) * speed();
      // The wake-up was rounded up to a nanosecond, but the sum above to a double.
      if (now >= plannedFor && workDone < doneAt[0]) {
        workDone = doneAt[0];
      }
      if (budget != null) {
        budget.use((now - workDoneAt) * cpuRate());
      }
    }
    workDoneAt = now;
    if (budget != null) {
      budget.renew(now);
    }
  }

  private void plan(long now) {
    plannedFor = Time.NEVER;
    if (servedCount == 0) {
      return;
    }
    double speed = speed();
    if (speed > 0) {
      plannedFor = now + Math.max(0, Time.nanosUp((doneAt[0] - workDone) / speed));
      wake(plannedFor);
    }
    if (budget != null) {
      long changes = budget.changes(cpuRate(), now);
      if (changes < plannedFor) {
        plannedFor = Time.NEVER;
        wake(changes);
      }
    }
  }

  private void wake(long at) {
    if (at < wakeUp) {
      wakeUp = at;
      events.wakeServer(number, at);
    }
  }

  private boolean stopped() {
    return budget != null && budget.usedUp();
  }

  private double speed() {
    return stopped() ? 0 : rateOfEach(servedCount) * noise * overhead;
  }

  private double rateOfEach(int tasks) {
    if (tasks > computedRates) {
      if (tasks >= rateOfEach.length) {
        rateOfEach = Arrays.copyOf(rateOfEach, Math.max(tasks + 1, 2 * rateOfEach.length));
      }
      for (int k = computedRates + 1; k <= tasks; k++) {
        double total = rate.applyAsDouble(k);
        if (!(total >= 0 && total < Double.POSITIVE_INFINITY)) {
          throw new IllegalArgumentException(
              "rate of station '%s' must be >= 0 and finite, but is %s for %d tasks"
                  .formatted(name, total, k));
        }
        rateOfEach[k] = total / k;
      }
      computedRates = tasks;
    }
    return rateOfEach[tasks];
  }

  private void serve(int task, double work) {
    double at = workDone + work;
    if (servedCount == served.length) {
      served = Arrays.copyOf(served, 2 * servedCount);
      doneAt = Arrays.copyOf(doneAt, 2 * servedCount);
    }
    int node = servedCount;
    servedCount++;
    while (node > 0) {
      int parent = (node - 1) >>> 2;
      if (doneAt[parent] <= at) {
        break;
      }
      doneAt[node] = doneAt[parent];
      served[node] = served[parent];
      node = parent;
    }
    doneAt[node] = at;
    served[node] = task;
  }

  private int removeFirst() {
    int first = served[0];
    servedCount--;
    double at = doneAt[servedCount];
    int task = served[servedCount];
    int node = 0;
    while (true) {
      int child = 4 * node + 1;
      if (child >= servedCount) {
        break;
      }
      int least = child;
      int end = Math.min(child + 4, servedCount);
      for (int other = child + 1; other < end; other++) {
        if (doneAt[other] < doneAt[least]) {
          least = other;
        }
      }
      if (at <= doneAt[least]) {
        break;
      }
      doneAt[node] = doneAt[least];
      served[node] = served[least];
      node = least;
    }
    doneAt[node] = at;
    served[node] = task;
    return first;
  }
}
