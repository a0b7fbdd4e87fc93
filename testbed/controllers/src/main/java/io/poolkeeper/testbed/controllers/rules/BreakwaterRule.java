package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Locale;

/**
 * The credits of Breakwater (Cho and others, Overload Control for µs-scale RPCs with Breakwater,
 * OSDI 2020; built from its description).
 *
 * <p><b>Rule.</b> The server hands out credits; a request needs one. Once a round trip, with the
 * queueing delay {@code d} and its target {@code t}: below the target {@code max(0.001 clients, 1)}
 * more, else times {@code max(1 - 0.02 (d - t) / t, 0.5)}.
 *
 * <p><b>Where the source is silent.</b> Credits are the limit of what runs at once. The delay is
 * the mean time of the tasks of an interval less the shortest time ever seen: what the plant behind
 * the limit adds. A round trip is an interval of 10 ms that holds at least one task. Credits start
 * at 20 and stay within 1 and 1000, and are rounded down.
 *
 * <p>The source also drops what waited for twice the target. A pool here keeps what waits for it,
 * so nothing is dropped.
 *
 * <p><b>When it fails.</b> Times that vary by nature are taken for a queue. The shortest time stays
 * for good, so a plant that became slower is overloaded for ever.
 */
public final class BreakwaterRule extends IntervalRule {

  private static final double PER_CLIENT = 0.001;
  private static final double AGGRESSIVENESS = 0.02;
  private static final double LEAST_FACTOR = 0.5;
  private static final long ROUND_TRIP = Duration.ofMillis(10).toNanos();

  private final int clients;
  private final long target;
  private final QueueingTime times = new QueueingTime();
  private double delay;

  /**
   * @param initial first number of credits, 1 or more
   * @param maximum largest number, {@code initial} or more
   * @param clients that share them, 1 or more
   * @param target queueing delay, positive
   */
  public BreakwaterRule(int initial, int maximum, int clients, Duration target) {
    super(initial, maximum, ROUND_TRIP);
    this.clients = Require.atLeast(1, "clients", clients);
    this.target = Require.positive("target", target);
  }

  @Override
  public String name() {
    return "breakwater-style";
  }

  @Override
  boolean add(long time) {
    times.add(time);
    return false;
  }

  @Override
  double next(double credits) {
    delay = times.end();
    return delay < target
        ? credits + Math.max(PER_CLIENT * clients, 1)
        : credits * Math.max(1 - AGGRESSIVENESS * (delay - target) / target, LEAST_FACTOR);
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "a delay of %.3f ms against a target of %.3f ms, %.1f credits",
        delay / 1e6,
        target / 1e6,
        exactLimit());
  }
}
