package io.poolkeeper.testbed.controllers;

/**
 * Decides the size of a pool at the events of its tasks: one arrived, one ended, time passed. What
 * can decide once an interval is a {@link io.poolkeeper.Controller} instead.
 *
 * <p>Like a controller a policy is a plain class: no clock, no threads, no I/O, no randomness but a
 * seeded one. All time is the {@link PoolState#now} of the call, so that the same object runs on a
 * simulated pool and on a real one, and the same events always give the same sizes. It is called by
 * one thread at a time; whoever calls it sees to that.
 *
 * <p>Each event answers with the wanted size, {@code pool.size()} to leave it. Answers out of the
 * pool's bounds mean the nearest allowed size: published policies know no bounds. What was asked
 * for need not come: the next event shows the size in force.
 *
 * <p><b>Order.</b> Time never goes back between calls. Every task is announced by {@link #arrived}
 * and, once, by {@link #ended}; a refused one by both. Events at the same instant come in the order
 * ended, passing of time, arrived.
 *
 * <p><b>Cost.</b> An event costs nanoseconds and, if the size stays, allocates nothing; it is on
 * the way of every task.
 */
public interface EventPolicy {

  /** Name by which people know it. */
  String name();

  /** The size to start with, 1 or more. */
  int initialSize();

  /**
   * Returns the interval, in nanoseconds, at which the pool reports time. The pool calls {@link
   * #elapsed} once each such interval, counted from the start of the pool. 0: never.
   */
  default long interval() {
    return 0;
  }

  /**
   * Returns how the pool should pass tasks to its workers: through its queue unless a policy says
   * else.
   */
  default Handoff handoff() {
    return Handoff.THROUGH_QUEUE;
  }

  /**
   * A task arrived.
   *
   * @return the wanted size
   */
  default int arrived(PoolState pool) {
    return pool.size();
  }

  /**
   * A task ended.
   *
   * @param wait time from its arrival to its start, nanoseconds; for a dropped one all its time
   * @param service time from its start to its end, nanoseconds; 0 for a dropped one
   * @return the wanted size
   */
  default int ended(PoolState pool, long wait, long service, Outcome outcome) {
    return pool.size();
  }

  /**
   * Another {@link #interval} passed.
   *
   * @return the wanted size
   */
  default int elapsed(PoolState pool) {
    return pool.size();
  }

  /**
   * Why the last answer that was not {@code pool.size()} was given, in words for a person, numbers
   * and units included; made when it is asked for. Empty before the first such answer.
   */
  String reason();
}
