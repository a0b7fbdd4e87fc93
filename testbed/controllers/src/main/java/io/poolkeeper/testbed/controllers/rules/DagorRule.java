package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Locale;

/**
 * The admission of DAGOR (Zhou and others, Overload Control for Scaling WeChat Microservices, SoCC
 * 2018; built from its description).
 *
 * <p><b>Rule.</b> Every second, or every 2000 requests if that is sooner: where the mean queueing
 * time was above 20 ms, 5 % less are admitted, else 1 % more.
 *
 * <p><b>Where the source is silent.</b> The source counts what is admitted in a second and refuses
 * by priorities of business and users; here tasks have none, and the limit of what runs at once
 * stands for what is admitted. The queueing time is the time of a task less the shortest one ever
 * seen: what the plant behind the limit adds. The limit starts at 20 and stays within 1 and 1000,
 * and is rounded down.
 *
 * <p><b>When it fails.</b> It doubles in 70 s, so a far optimum is minutes away. While the limit is
 * not used it grows all the same. Times that vary by nature are taken for a queue.
 */
public final class DagorRule extends IntervalRule {

  private static final double LESS = 0.05;
  private static final double MORE = 0.01;
  private static final long LONGEST = Duration.ofSeconds(1).toNanos();
  private static final int MOST_TASKS = 2000;

  private final long threshold;
  private final QueueingTime times = new QueueingTime();
  private double queueing;

  /**
   * @param initial first limit, 1 or more
   * @param maximum largest limit, {@code initial} or more
   * @param threshold mean queueing time that is too much, positive
   */
  public DagorRule(int initial, int maximum, Duration threshold) {
    super(initial, maximum, LONGEST);
    this.threshold = Require.positive("threshold", threshold);
  }

  @Override
  public String name() {
    return "dagor-style";
  }

  @Override
  boolean add(long time) {
    return times.add(time) >= MOST_TASKS;
  }

  @Override
  double next(double limit) {
    queueing = times.end();
    return limit * (queueing > threshold ? 1 - LESS : 1 + MORE);
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "a mean queueing time of %.3f ms against %.3f ms, limit %.1f",
        queueing / 1e6,
        threshold / 1e6,
        exactLimit());
  }
}
