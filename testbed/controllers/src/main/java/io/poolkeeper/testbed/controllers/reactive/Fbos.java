package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.Reason;
import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;

/**
 * Frequency based optimisation strategy (Bahadur, Naeem, Javed and Wahab 2014, section 3): as many
 * workers as tasks arrived in the last second, once tasks had to wait.
 *
 * <p><b>Rule.</b> Every second the frequency, which is the number of tasks that arrived in it, is
 * stored. A phase is two tasks that ended. If the sum of their turnaround times is greater than the
 * same sum without their waits, the pool grows to the stored frequency. A worker that is idle for 4
 * s leaves, down to two.
 *
 * <p><b>Left open, and how it is filled.</b> The paper stamps in milliseconds, so a wait counts
 * where it is at least one; the microseconds of a hand-over on a real pool would otherwise make
 * every phase one with waits. Until the first second has passed the frequency is 0. A task that
 * fails ends a job like any other; a dropped one has arrived but ends none. Which idle worker gets
 * a task is a race in the paper; here the one that became idle last ({@link IdleWorkers}). It has
 * no upper bound but that of the pool. A timed-out worker leaves at the next event or second.
 *
 * <p><b>When it fails.</b> The number of tasks a second is the right number of workers only if a
 * task takes a second: with tasks of 10 ms it has a hundred times too many workers, with tasks of
 * 10 s a tenth of what it needs, and the queue grows without end. It does not notice that more
 * workers make the work slower.
 */
public final class Fbos implements EventPolicy {

  private static final long MILLISECOND = 1_000_000;

  private final Settings settings;
  private final IdleWorkers idle;
  private int arrivals;
  private int frequency;
  private int ended;
  private long waits;
  private final Reason because = new Reason();

  /**
   * Its constants.
   *
   * @param least workers at the start and at least, 1 or more; published: 2
   * @param phase tasks in a phase, 1 or more; published: 2
   * @param second time in which arrivals are counted, positive; published: 1 s
   * @param idleTimeout time after which an idle worker leaves, positive; published: 4 s
   */
  public record Settings(int least, int phase, Duration second, Duration idleTimeout) {

    /** As published. */
    public static final Settings PUBLISHED =
        new Settings(2, 2, Duration.ofSeconds(1), Duration.ofSeconds(4));

    /**
     * @throws IllegalArgumentException naming the setting that is out of its range
     */
    public Settings {
      Require.atLeast(1, "least", least);
      Require.atLeast(1, "phase", phase);
      Require.positive("second", second);
      Require.positive("idle-timeout", idleTimeout);
    }
  }

  /** A policy that has seen nothing. */
  public Fbos(Settings settings) {
    this.settings = settings;
    idle = new IdleWorkers(IdleWorkers.Order.NEWEST_FIRST, settings.idleTimeout.toNanos());
  }

  @Override
  public String name() {
    return "fbos";
  }

  @Override
  public int initialSize() {
    return settings.least;
  }

  @Override
  public long interval() {
    return settings.second.toNanos();
  }

  @Override
  public int arrived(PoolState pool) {
    arrivals++;
    return leave(pool);
  }

  @Override
  public int elapsed(PoolState pool) {
    frequency = arrivals;
    arrivals = 0;
    return leave(pool);
  }

  @Override
  public int ended(PoolState pool, long wait, long service, Outcome outcome) {
    if (outcome != Outcome.DROPPED) {
      waits += wait / MILLISECOND;
      ended++;
      if (ended == settings.phase) {
        long waited = waits;
        ended = 0;
        waits = 0;
        if (waited > 0 && frequency > pool.size()) {
          idle.observe(pool);
          return because.want(
              frequency,
              "the %.0f tasks of a phase waited %.0f ms; %.0f arrived in the last interval",
              settings.phase,
              (double) waited,
              frequency);
        }
      }
    }
    return leave(pool);
  }

  private int leave(PoolState pool) {
    idle.observe(pool);
    return idle.leave(pool, settings.least, because);
  }

  @Override
  public String reason() {
    return because.toString();
  }
}
