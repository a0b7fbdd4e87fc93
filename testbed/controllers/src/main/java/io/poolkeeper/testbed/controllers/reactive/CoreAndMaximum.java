package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.Reason;
import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;

/**
 * The JDK's watermarks: a core, a maximum, a keep-alive time, and the queue first (documentation of
 * {@code java.util.concurrent.ThreadPoolExecutor}).
 *
 * <p><b>Rule.</b> A task that arrives while all workers are busy waits if the queue has room; only
 * one that finds it full makes the pool grow by one worker, up to the maximum. A worker above the
 * core that is idle for the keep-alive time leaves.
 *
 * <p><b>Left open, and how it is filled.</b> The JDK has no default for the queue. With room for 0
 * tasks, our default, it is the JDK's {@code newCachedThreadPool} with a maximum, and the pool that
 * Timm 2021 calls Watermark (his maximum of 64 is our default; the keep-alive of 60 s is the
 * JDK's). With a queue without bound it never grows beyond its core, whatever the maximum: {@code
 * capacity} 2147483647. Where the JDK starts a new worker with the task that found the queue full,
 * here that task waits its turn, and a task that finds all full waits as well: refusing is for the
 * pool's own queue. Idle workers of the JDK take turns, so that is how they age here ({@link
 * IdleWorkers}).
 *
 * <p><b>When it fails.</b> Without room in the queue the size follows the number of tasks that are
 * there, however much slower more workers make them; with room, the work waits while workers could
 * be had. Workers that take turns hardly ever time out under a trickle of tasks.
 */
public final class CoreAndMaximum implements EventPolicy {

  private final Settings settings;
  private final IdleWorkers idle;
  private final Reason because = new Reason();

  /**
   * Its constants.
   *
   * @param core workers at the start and at least, 1 or more
   * @param maximum most workers, at least {@code core}
   * @param capacity tasks that may wait before the pool grows, 0 or more
   * @param keepAlive time after which an idle worker above the core leaves, positive
   */
  public record Settings(int core, int maximum, int capacity, Duration keepAlive) {

    /** Those of Timm's comparison, and of the JDK's cached pool. */
    public static final Settings CACHED = new Settings(2, 64, 0, Duration.ofSeconds(60));

    /**
     * @throws IllegalArgumentException naming the setting that is out of its range
     */
    public Settings {
      Require.atLeast(1, "core", core);
      Require.ordered("core", core, "maximum", maximum);
      Require.atLeast(0, "capacity", capacity);
      Require.positive("keep-alive", keepAlive);
    }
  }

  /** A policy that has seen nothing. */
  public CoreAndMaximum(Settings settings) {
    this.settings = settings;
    idle = new IdleWorkers(IdleWorkers.Order.LONGEST_IDLE_FIRST, settings.keepAlive.toNanos());
  }

  @Override
  public String name() {
    return "jdk-watermark";
  }

  @Override
  public int initialSize() {
    return settings.core;
  }

  /** A worker that times out while nothing happens leaves within a quarter of the keep-alive. */
  @Override
  public long interval() {
    return Math.max(1, settings.keepAlive.toNanos() / 4);
  }

  @Override
  public int arrived(PoolState pool) {
    if (pool.queued() > settings.capacity && pool.size() < settings.maximum) {
      idle.observe(pool);
      return because.want(
          pool.size() + 1, "%.0f tasks wait with room for %.0f", pool.queued(), settings.capacity);
    }
    return leave(pool);
  }

  @Override
  public int ended(PoolState pool, long wait, long service, Outcome outcome) {
    return leave(pool);
  }

  @Override
  public int elapsed(PoolState pool) {
    return leave(pool);
  }

  private int leave(PoolState pool) {
    idle.observe(pool);
    return idle.leave(pool, settings.core, because);
  }

  @Override
  public String reason() {
    return because.toString();
  }
}
