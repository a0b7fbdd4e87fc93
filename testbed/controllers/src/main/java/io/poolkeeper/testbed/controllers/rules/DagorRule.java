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
public final class DagorRule implements SampleRule {

  private static final double LESS = 0.05;
  private static final double MORE = 0.01;
  private static final long LONGEST = Duration.ofSeconds(1).toNanos();
  private static final int MOST_TASKS = 2000;

  private final int maximum;
  private final long threshold;
  private double limit;
  private long shortest;
  private boolean begun;
  private long since;
  private int tasks;
  private double sum;
  private double queueing;

  /**
   * @param initial first limit, 1 or more
   * @param maximum largest limit, {@code initial} or more
   * @param threshold mean queueing time that is too much, positive
   */
  public DagorRule(int initial, int maximum, Duration threshold) {
    Require.atLeast(1, "initial", initial);
    Require.ordered("initial", initial, "maximum", maximum);
    this.limit = initial;
    this.maximum = maximum;
    this.threshold = Require.positive("threshold", threshold);
  }

  @Override
  public String name() {
    return "dagor-style";
  }

  @Override
  public int limit() {
    return (int) limit;
  }

  @Override
  public void sample(long start, long time, int inFlight, boolean dropped) {
    if (time <= 0 || dropped) {
      return;
    }
    long end = start + time;
    if (!begun) {
      begun = true;
      since = end;
    }
    shortest = shortest == 0 ? time : Math.min(shortest, time);
    tasks++;
    sum += time;
    if (tasks >= MOST_TASKS || end - since >= LONGEST) {
      queueing = sum / tasks - shortest;
      double next = limit * (queueing > threshold ? 1 - LESS : 1 + MORE);
      limit = Math.max(1, Math.min(maximum, next));
      since = end;
      tasks = 0;
      sum = 0;
    }
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "a mean queueing time of %.3f ms against %.3f ms, limit %.1f",
        queueing / 1e6,
        threshold / 1e6,
        limit);
  }
}
