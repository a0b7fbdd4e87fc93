package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * The overload controller of a SEDA stage (Welsh and Culler, Adaptive Overload Control for Busy
 * Internet Servers, USITS 2003; built from its description).
 *
 * <p><b>Rule.</b> Every 100 requests, or after 1 s: the 90th percentile of their times enters an
 * exponential average, which keeps 0.7 of what it was. With {@code err = (average - target) /
 * target}: above 0, the admission is divided by 1.2; below -0.5, {@code -2 (err + 0.1)} are added.
 *
 * <p><b>Where the source is silent.</b> The source admits a rate; here the limit of what runs at
 * once stands for it. The target is the user's; 100 ms unless it is given. The percentile is the
 * smallest time that 90 % do not exceed. The limit starts at 20 and stays within 1 and 1000, and is
 * rounded down.
 *
 * <p><b>When it fails.</b> The target is absolute: where the work itself takes longer the limit
 * falls to 1, and where it takes half of it the limit never moves. While the limit is not used it
 * grows all the same.
 */
public final class SedaRule extends IntervalRule {

  private static final int TASKS = 100;
  private static final long TIMEOUT = Duration.ofSeconds(1).toNanos();
  private static final double QUANTILE = 0.9;
  private static final double MEMORY = 0.7;
  private static final double INCREASE_BELOW = -0.5;
  private static final double DECREASE_ABOVE = 0;
  private static final double DIVISOR = 1.2;
  private static final double INCREASE = 2;
  private static final double WEIGHT = -0.1;

  private final long target;
  private final long[] times = new long[TASKS];
  private int tasks;
  private double average;

  /**
   * @param initial first limit, 1 or more
   * @param maximum largest limit, {@code initial} or more
   * @param target 90th percentile of the time of a task, positive
   */
  public SedaRule(int initial, int maximum, Duration target) {
    super(initial, maximum, TIMEOUT);
    this.target = Require.positive("target", target);
  }

  @Override
  public String name() {
    return "seda-style";
  }

  @Override
  boolean add(long time) {
    times[tasks] = time;
    tasks++;
    return tasks == TASKS;
  }

  @Override
  double next(double limit) {
    Arrays.sort(times, 0, tasks);
    long percentile = times[(int) Math.ceil(QUANTILE * tasks) - 1];
    tasks = 0;
    average = average == 0 ? percentile : MEMORY * average + (1 - MEMORY) * percentile;
    double error = (average - target) / target;
    if (error > DECREASE_ABOVE) {
      return limit / DIVISOR;
    }
    return error < INCREASE_BELOW ? limit - (error - WEIGHT) * INCREASE : limit;
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "p90 of %.3f ms against a target of %.3f ms, limit %.1f",
        average / 1e6,
        target / 1e6,
        exactLimit());
  }
}
