package io.poolkeeper.testbed.simulator.engine.station;

import io.poolkeeper.testbed.simulator.engine.event.Events;
import io.poolkeeper.testbed.simulator.engine.event.Queue;
import io.poolkeeper.testbed.simulator.engine.event.Tasks;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import java.util.Arrays;

/**
 * Cores of constant speed that each serve one task to its end, first come first served. The end of
 * a task is known when it begins, so it goes straight onto the calendar.
 */
public final class FifoServer extends Server {

  private final Events events;
  private final Queue waiting;
  private double[] work = new double[64];
  private int served;

  public FifoServer(String name, int cores, Events events, Tasks tasks) {
    super(name, cores);
    this.events = events;
    waiting = new Queue(tasks);
  }

  @Override
  public void enter(int task, double amount, long now) {
    account(now);
    if (served < cores) {
      served++;
      events.finishStep(task, now + Time.nanos(amount));
    } else {
      if (task >= work.length) {
        work = Arrays.copyOf(work, Math.max(task + 1, 2 * work.length));
      }
      work[task] = amount;
      waiting.add(task);
    }
  }

  @Override
  public void done(long now) {
    account(now);
    if (waiting.isEmpty()) {
      served--;
    } else {
      int next = waiting.remove();
      events.finishStep(next, now + Time.nanos(work[next]));
    }
  }

  @Override
  int present() {
    return served + waiting.size();
  }

  @Override
  int served() {
    return served;
  }

  @Override
  double cpuRate() {
    return served;
  }

  @Override
  public void due(long now) {
    throw new IllegalStateException(name + " asks for nothing");
  }
}
