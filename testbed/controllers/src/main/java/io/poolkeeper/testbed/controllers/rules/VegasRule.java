package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Coin;
import io.poolkeeper.testbed.controllers.Require;
import java.util.Locale;

/**
 * TCP Vegas as a limit of concurrency (Brakmo and Peterson 1995, with the constants of Netflix
 * concurrency-limits; built from their description).
 *
 * <p><b>Rule.</b> With the shortest time {@code rtt0} seen, the queue inside the plant is {@code
 * ceil(L (1 - rtt0 / rtt))}. With {@code f = max(1, floor(log10 L))}: a queue of at most {@code f}
 * adds {@code 6 f} to the limit; one below {@code 3 f} adds {@code f}; one above {@code 6 f}, or a
 * drop, takes {@code f} away.
 *
 * <p><b>Where the source is silent.</b> A time shorter than rtt0 becomes rtt0 and moves nothing.
 * While less than half of the limit is used, only a drop moves it. Since a plant may become slower
 * for good, rtt0 is set to the next time after 0.5 to 1 times {@code 30 L} samples, drawn from a
 * seed. The limit starts at 20 and stays within 1 and 1000.
 *
 * <p><b>When it fails.</b> The shortest of all times is an extreme value: where times vary by
 * nature, the average task counts as queued and the limit falls. When rtt0 is set again under load,
 * the load is taken for the plant, and the limit drifts up. It asks for no more than a queue of a
 * few, so it serves the time of an answer rather than the throughput.
 */
public final class VegasRule implements SampleRule {

  private final int maximum;
  private final int probe;
  private final Coin coin;
  private double limit;
  private long shortest;
  private long samples;
  private long probes;
  private int queue;

  /**
   * @param initial first limit, 1 or more
   * @param maximum largest limit, {@code initial} or more
   * @param probe samples, in multiples of the limit, after which rtt0 is set again at the latest;
   *     0: never
   * @param seed of when that is
   */
  public VegasRule(int initial, int maximum, int probe, long seed) {
    Require.atLeast(1, "initial", initial);
    Require.ordered("initial", initial, "maximum", maximum);
    this.limit = initial;
    this.maximum = maximum;
    this.probe = Require.atLeast(0, "probe", probe);
    this.coin = new Coin(seed);
  }

  @Override
  public String name() {
    return "vegas-style";
  }

  @Override
  public int limit() {
    return (int) limit;
  }

  @Override
  public void sample(long start, long time, int inFlight, boolean dropped) {
    if (time <= 0) {
      return;
    }
    samples++;
    if (probe > 0 && samples >= probe * limit * (0.5 + coin.draw(probes, 1000) / 2000.0)) {
      samples = 0;
      probes++;
      shortest = time;
      return;
    }
    if (shortest == 0 || time < shortest) {
      shortest = time;
      return;
    }
    queue = (int) Math.ceil(limit * (1 - (double) shortest / time));
    int f = Math.max(1, (int) Math.log10(limit));
    double next = limit;
    if (dropped || (2 * inFlight >= limit && queue > 6 * f)) {
      next = limit - f;
    } else if (2 * inFlight >= limit && queue <= f) {
      next = limit + 6 * f;
    } else if (2 * inFlight >= limit && queue < 3 * f) {
      next = limit + f;
    }
    limit = Math.max(1, Math.min(maximum, next));
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "a queue of %d behind %d in flight, shortest time %.3f ms",
        queue,
        limit(),
        shortest / 1e6);
  }
}
