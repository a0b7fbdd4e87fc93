package io.tidepool.testbed.simulator.engine;

import java.util.Arrays;

/**
 * Cores of constant speed that each serve one task to its end, first come first served. The end of
 * a task is known when it begins, so it goes straight onto the calendar.
 */
final class FifoServer extends Server {

  private final Events events;
  private final Queue waiting;
  private double[] work = new double[64];
  private int served;

  FifoServer(String name, int cores, Events events, Tasks tasks) {
    super(name, cores);
    this.events = events;
    waiting = new Queue(tasks);
  }

  @Override
  void enter(int task, double amount, long now) {
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
  void done(long now) {
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
  void due(long now) {
    throw new IllegalStateException(name + " asks for nothing");
  }
}
