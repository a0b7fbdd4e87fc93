package io.poolkeeper.testbed.tunnel.flight;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.simulator.model.Noise.Drops;
import io.poolkeeper.testbed.simulator.model.Noise.GcPauses;
import io.poolkeeper.testbed.simulator.model.Noise.WarmUp;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A disturbance of a plant that is independent of what its pool does: two runs with one seed are
 * disturbed in the same way.
 *
 * @param word its name in configurations
 * @param title what it does, for a reader who sees it first
 * @param parts the noises of the simulator that multiply to it; none for no disturbance
 */
public record Noise(
    String word, String title, List<io.poolkeeper.testbed.simulator.model.Noise> parts) {

  private static final double DEVIATION = 0.08;

  /** Correlation of a wandering rate with itself a second before. */
  public static final double CORRELATION = 0.3;

  /** Nothing but the chance of each task's work and of its arrival. */
  public static final Noise NONE = new Noise("none", "only the chance of each task", List.of());

  /**
   * Every second the rate is multiplied by a lognormal number of mean 1, a first-order
   * autoregression.
   */
  public static final Noise WANDERING =
      new Noise(
          "8%", "the rate wanders by 8 %, autocorrelated", List.of(wander(DEVIATION, CORRELATION)));

  /** The rate falls to 30 % for a second. */
  public static final Noise DROPS =
      new Noise(
          "drops",
          "the rate falls by 70 % for a second, every 50 s on average",
          List.of(drops(0.3, 50, 1)));

  /** Everything stops. */
  public static final Noise PAUSES =
      new Noise(
          "pauses",
          "garbage collection stops everything for 50 to 250 ms, every 4 s on average",
          List.of(pauses(4, 0.05, 0.25)));

  /**
   * The rate rises and wanders as in {@link #WANDERING}: a virtual machine that compiles its
   * program, whatever the size of the pool.
   */
  public static final Noise WARM_UP =
      new Noise(
          "warm-up",
          "the rate rises by 2.5 times in the first 30 s, and wanders by 8 %",
          List.of(wander(DEVIATION, CORRELATION), new WarmUp(0.4, 30)));

  /** All that can be asked for by name, in the order in which they are shown. */
  public static final Map<String, Noise> ALL = all();

  public Noise {
    parts = List.copyOf(parts);
  }

  private static Map<String, Noise> all() {
    Map<String, Noise> byWord = new LinkedHashMap<>();
    for (Noise noise : List.of(NONE, WANDERING, DROPS, PAUSES, WARM_UP)) {
      byWord.put(noise.word(), noise);
    }
    return Collections.unmodifiableMap(byWord);
  }

  /** A rate that wanders around 1, constant within each second. */
  public static io.poolkeeper.testbed.simulator.model.Noise wander(
      double deviation, double correlation) {
    return new io.poolkeeper.testbed.simulator.model.Noise.Wander(deviation, correlation, 1);
  }

  /** A rate that falls to a fraction, on average every {@code everySeconds}. */
  public static Drops drops(double remaining, double everySeconds, double seconds) {
    return new Drops(
        remaining, Distribution.exponential(everySeconds), Distribution.constant(seconds));
  }

  /** Pauses between a shortest and a longest time, on average every {@code everySeconds}. */
  public static GcPauses pauses(double everySeconds, double shortest, double longest) {
    return new GcPauses(
        Distribution.exponential(everySeconds), Distribution.uniform(shortest, longest), 0);
  }
}
