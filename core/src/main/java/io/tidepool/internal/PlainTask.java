package io.tidepool.internal;

/**
 * What was given to a pool, and when.
 *
 * @param body what was given to the pool
 * @param arrival when, or {@link PoolMeter#UNTIMED}
 */
public record PlainTask(Runnable body, long arrival) implements Runnable {

  /** What was given to the pool, if {@code task} wraps it. */
  public static Runnable unwrap(Runnable task) {
    return task instanceof PlainTask plain ? plain.body : task;
  }

  /** Where no worker took it out of the queue: as the first task of one, or by a stranger. */
  @Override
  public void run() {
    Worker worker = Workers.current();
    if (worker == null) {
      body.run();
    } else {
      worker.perform(this);
    }
  }
}
