package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.Reason;
import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Arrays;

/**
 * The size of least expected cost under the distribution of the load (Ling, Mullen and Lin 2000, as
 * Bahadur and others 2014, section 2.10 describe it).
 *
 * <p><b>Cost model.</b> The load {@code L} is the number of tasks that are there at once. Of {@code
 * n} workers each costs {@code c2} to hold, needed or not; each that is needed above {@code n}
 * costs {@code c1} to create. The expected cost
 *
 * <pre>{@code c2 * n + c1 * E[max(0, L - n)]}</pre>
 *
 * <p>falls as long as {@code P(L > n) > c2 / c1}, so that the optimum is the smallest {@code n}
 * with {@code P(L <= n) >= 1 - c2 / c1}.
 *
 * <p><b>Left open, and how it is filled.</b> The load is measured: the time for which each number
 * of tasks was there, busy and waiting, with what is older counting less from one look to the next.
 * The costs are in units that cancel; 1 and 0.05 are ours and ask for enough workers 95 % of the
 * time. The survey gives no interval and no memory: a look each second, and each second counts 0.9
 * of the one after it. Until something was seen the size stays, and it begins with one worker.
 *
 * <p><b>When it fails.</b> Waiting tasks are part of the load. A pool that is too small makes a
 * queue and is cured by it, but work that more workers make slower makes a queue as well, and is
 * asked for more of them; users who wait for answers keep the load at their number at any size.
 */
public final class LingOptimum implements EventPolicy {

  /** Loads above it count as it; no size above it is asked for. */
  static final int MOST = 4096;

  private final Settings settings;
  private final Reason because = new Reason();

  /** Weighted time in which each load was there; grows with the highest load seen. */
  private double[] time = new double[64];

  private int load = -1;
  private long since;

  /**
   * Its constants.
   *
   * @param creation cost {@code c1} of a worker that has to be created, above 0
   * @param holding cost {@code c2} of a worker that is kept, above 0 and at most {@code creation}
   * @param interval time from one look to the next, positive
   * @param memory what an interval counts of the one after it, above 0 and at most 1
   */
  public record Settings(double creation, double holding, Duration interval, double memory) {

    /** Enough workers 95 % of the time of the last ten seconds or so. */
    public static final Settings STANDARD = new Settings(1, 0.05, Duration.ofSeconds(1), 0.9);

    /**
     * @throws IllegalArgumentException naming the setting that is out of its range
     */
    public Settings {
      Require.within(0, Double.MAX_VALUE, "creation", creation);
      Require.within(0, creation, "holding", holding);
      Require.positive("interval", interval);
      Require.within(0, 1, "memory", memory);
    }
  }

  /** A policy that has seen nothing. */
  public LingOptimum(Settings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return "ling-optimum";
  }

  @Override
  public int initialSize() {
    return 1;
  }

  @Override
  public long interval() {
    return settings.interval.toNanos();
  }

  @Override
  public int arrived(PoolState pool) {
    observe(pool);
    return pool.size();
  }

  @Override
  public int ended(PoolState pool, long wait, long service, Outcome outcome) {
    observe(pool);
    return pool.size();
  }

  @Override
  public int elapsed(PoolState pool) {
    observe(pool);
    double total = 0;
    for (double part : time) {
      total += part;
    }
    if (total == 0) {
      return pool.size();
    }
    double enough = (1 - settings.holding / settings.creation) * total;
    int size = 0;
    double within = time[0];
    while (within < enough && size < time.length - 1) {
      size++;
      within += time[size];
    }
    double cost = expectedCost(size);
    for (int i = 0; i < time.length; i++) {
      time[i] *= settings.memory;
    }
    return because.want(
        Math.max(1, size),
        "at most %.0f tasks were there %.1f %% of the time; expected cost %.2f",
        size,
        100 * within / total,
        cost);
  }

  /** Expected cost of {@code size} workers under the loads seen so far; NaN before any. */
  double expectedCost(int size) {
    double total = 0;
    double missing = 0;
    for (int i = 0; i < time.length; i++) {
      total += time[i];
      missing += time[i] * Math.max(0, i - size);
    }
    return settings.holding * size + settings.creation * missing / total;
  }

  private void observe(PoolState pool) {
    if (load >= 0) {
      if (load >= time.length) {
        time = Arrays.copyOf(time, Integer.highestOneBit(load) << 1);
      }
      time[load] += pool.now() - since;
    }
    load = Math.min(MOST, pool.busy() + pool.queued());
    since = pool.now();
  }

  @Override
  public String reason() {
    return because.toString();
  }
}
