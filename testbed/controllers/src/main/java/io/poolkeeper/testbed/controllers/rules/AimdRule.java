package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Locale;

/**
 * Additive increase, multiplicative decrease (Chiu and Jain 1989, as Netflix concurrency-limits
 * uses it; built from their description).
 *
 * <p><b>Rule.</b> A drop, or a time above a timeout of 5 s: the limit times 0.9. Else, while at
 * least half of it is used: plus 1.
 *
 * <p><b>Where the source is silent.</b> The limit starts at 20 and stays within 20 and 200; it is
 * rounded down.
 *
 * <p><b>When it fails.</b> Without drops it is at its maximum after 180 tasks, whatever they
 * gained: a pool with a queue drops nothing.
 */
public final class AimdRule implements SampleRule {

  private static final double BACK_OFF = 0.9;

  private final int minimum;
  private final int maximum;
  private final long timeout;
  private int limit;
  private boolean backedOff;
  private long last;

  /**
   * @param initial first limit
   * @param minimum smallest limit, 1 or more
   * @param maximum largest limit, {@code minimum} or more
   * @param timeout time above which a task counts as dropped, positive
   */
  public AimdRule(int initial, int minimum, int maximum, Duration timeout) {
    Require.limits(initial, minimum, maximum);
    this.limit = initial;
    this.minimum = minimum;
    this.maximum = maximum;
    this.timeout = Require.positive("timeout", timeout);
  }

  @Override
  public String name() {
    return "aimd-style";
  }

  @Override
  public int limit() {
    return limit;
  }

  @Override
  public void sample(long start, long time, int inFlight, boolean dropped) {
    if (time <= 0) {
      return;
    }
    int next = limit;
    if (dropped || time > timeout) {
      next = (int) (limit * BACK_OFF);
    } else if (2 * inFlight >= limit) {
      next = limit + 1;
    }
    backedOff = next < limit;
    last = time;
    limit = Math.max(minimum, Math.min(maximum, next));
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        backedOff ? "dropped or above the timeout after %.3f ms" : "in use, answered in %.3f ms",
        last / 1e6);
  }
}
