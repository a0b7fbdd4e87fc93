package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.Reason;

/**
 * Time that each idle worker of a pool has been idle, worked out from how many are idle at each
 * event. The same model serves a simulated pool and a real one, because a policy sees no threads.
 *
 * <p>Which worker a task goes to decides who may leave. Newest first: the worker that became idle
 * last gets the next task, so that the number of workers idle for at least {@code t} is the
 * smallest number that were idle at any time in the last {@code t}, and a pool shrinks to its
 * highest demand of that time. Longest idle first: workers take turns, as threads that wait at a
 * queue of the JDK do, and one task now and then keeps several of them from ever timing out.
 *
 * <p>New workers begin idle; workers that leave are those idle the longest. Costs a few nanoseconds
 * for each worker whose state changes, and memory for as many times as there are workers.
 */
final class IdleWorkers {

  /** Order in which idle workers get tasks. */
  enum Order {
    NEWEST_FIRST,
    LONGEST_IDLE_FIRST
  }

  private final Order order;
  private final long timeout;

  /** Since when each is idle, the oldest at {@code head}; a ring whose length is a power of two. */
  private long[] since = new long[16];

  private int head;
  private int count;

  /**
   * @param timeout nanoseconds after which an idle worker leaves
   */
  IdleWorkers(Order order, long timeout) {
    this.order = order;
    this.timeout = timeout;
  }

  /** Takes note of the pool at an event; to be called at every one. */
  void observe(PoolState pool) {
    int idle = pool.idle();
    while (count < idle) {
      push(pool.now());
    }
    if (order == Order.LONGEST_IDLE_FIRST) {
      removeOldest(Math.max(0, count - idle));
    } else {
      count = idle;
    }
  }

  /**
   * Lets workers go that timed out.
   *
   * @param least how many workers stay in any case
   * @param because where to note why, if any leaves
   * @return the size without them
   */
  int leave(PoolState pool, int least, Reason because) {
    int expired = 0;
    int most = Math.min(count, pool.size() - least);
    while (expired < most && pool.now() - since[(head + expired) & (since.length - 1)] >= timeout) {
      expired++;
    }
    if (expired == 0) {
      return pool.size();
    }
    removeOldest(expired);
    return because.want(
        pool.size() - expired, "%.0f workers were idle for %.1f s", expired, timeout / 1e9);
  }

  private void removeOldest(int number) {
    head = (head + number) & (since.length - 1);
    count -= number;
  }

  private void push(long now) {
    if (count == since.length) {
      long[] longer = new long[2 * count];
      for (int i = 0; i < count; i++) {
        longer[i] = since[(head + i) & (count - 1)];
      }
      since = longer;
      head = 0;
    }
    since[(head + count) & (since.length - 1)] = now;
    count++;
  }
}
