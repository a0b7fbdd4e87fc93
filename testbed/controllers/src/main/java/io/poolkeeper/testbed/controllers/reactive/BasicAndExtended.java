package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.Reason;
import io.poolkeeper.testbed.controllers.Require;

/**
 * HDTP-QS, heuristic dynamic thread pooling on a queueing system: a basic pool that takes the tasks
 * and an extended one for what it cannot take (Ning and Lin 2010, as Bahadur and others 2014,
 * section 2.3 describe it).
 *
 * <p><b>Rule.</b> A task goes to the basic pool. If all its workers are busy the task goes to the
 * extended pool, and the basic pool grows by one in the background. If all workers of the extended
 * pool are busy too, that grows by one as well.
 *
 * <p><b>Left open, and how it is filled.</b> The two pools are one here, of the size of both:
 * workers are alike, and which of them holds a task cannot be told apart from outside. As tasks
 * prefer the basic pool its workers count as the busy ones first, so a task finds the basic pool
 * busy when as many others run as it has workers. Both start with one worker. When they shrink is
 * not said, so they do not; where the pool is at its bound the basic part grows into the extended
 * one. The average number of requests and response time that the survey names as its factors come
 * with no rule, and are not used.
 *
 * <p><b>When it fails.</b> It only grows, by two with every task that finds all workers busy and by
 * one with many others: one burst sets the size for ever, at more than the burst was. Work that
 * more workers make slower drives it to the bound.
 */
public final class BasicAndExtended implements EventPolicy {

  private final int initialSize;
  private final Reason because = new Reason();
  private int basic;

  /**
   * @param basic workers of the basic pool at the start, 1 or more
   * @param extended workers of the extended pool at the start, 1 or more
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  public BasicAndExtended(int basic, int extended) {
    this.basic = Require.atLeast(1, "basic", basic);
    initialSize = basic + Require.atLeast(1, "extended", extended);
  }

  @Override
  public String name() {
    return "hdtp-qs";
  }

  @Override
  public int initialSize() {
    return initialSize;
  }

  @Override
  public int arrived(PoolState pool) {
    int size = pool.size();
    int others = pool.busy() + pool.queued() - 1;
    int basicNow = Math.min(basic, size);
    if (others < basicNow) {
      return size;
    }
    basic = basicNow + 1;
    return others < size
        ? because.want(size + 1, "the %.0f workers of the basic pool are busy", basicNow)
        : because.want(
            size + 2,
            "the %.0f workers of the basic pool and the %.0f of the extended one are busy",
            basicNow,
            size - basicNow);
  }

  @Override
  public String reason() {
    return because.toString();
  }
}
