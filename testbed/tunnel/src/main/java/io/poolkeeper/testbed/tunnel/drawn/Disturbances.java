package io.poolkeeper.testbed.tunnel.drawn;

import io.poolkeeper.testbed.simulator.model.Noise.WarmUp;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Draws noises. */
final class Disturbances {

  private static final double LEAST_DEVIATION = 0.02;
  private static final double MOST_DEVIATION = 0.25;
  private static final double BURST_CORRELATION = 0.8;

  private Disturbances() {}

  /** Noise up to 25 %: a rate that wanders in half of the draws. */
  static Noise usual(Dice dice) {
    return switch (dice.whole(0, 9)) {
      case 0 -> Noise.NONE;
      case 1 -> {
        double remaining = dice.uniform(0.2, 0.6);
        double every = dice.uniform(25, 100);
        double seconds = dice.uniform(0.5, 2);
        yield new Noise(
            String.format(Locale.ROOT, "drops-%.0f%%", 100 * (1 - remaining)),
            String.format(
                Locale.ROOT,
                "the rate falls by %.0f %% for %.1f s, every %.0f s on average",
                100 * (1 - remaining),
                seconds,
                every),
            List.of(Noise.drops(remaining, every, seconds)));
      }
      case 2 -> {
        double every = dice.uniform(2, 10);
        double longest = dice.uniform(0.1, 0.4);
        yield new Noise(
            String.format(Locale.ROOT, "pauses-%.0fms", 1000 * longest),
            String.format(
                Locale.ROOT,
                "everything stops for up to %.0f ms, every %.1f s on average",
                1000 * longest,
                every),
            List.of(Noise.pauses(every, longest / 5, longest)));
      }
      case 3 -> {
        double from = dice.uniform(0.3, 0.7);
        double seconds = dice.uniform(20, 90);
        double deviation = dice.logUniform(LEAST_DEVIATION, MOST_DEVIATION);
        yield new Noise(
            String.format(Locale.ROOT, "warm-up-%.0fs", seconds),
            String.format(
                Locale.ROOT,
                "the rate rises from %.2f to 1 in the first %.0f s, and wanders by %.0f %%",
                from,
                seconds,
                100 * deviation),
            List.of(Noise.wander(deviation, Noise.CORRELATION), new WarmUp(from, seconds)));
      }
      case 4 -> wandering("independent", dice.logUniform(LEAST_DEVIATION, MOST_DEVIATION), 0);
      default ->
          wandering("wander", dice.logUniform(LEAST_DEVIATION, MOST_DEVIATION), Noise.CORRELATION);
    };
  }

  /** Bursts: half of them recorded. */
  static Noise bursts(Dice dice) {
    if (dice.chance(0.5)) {
      return wandering("bursts", dice.uniform(0.4, 0.8), BURST_CORRELATION);
    }
    String trace = dice.pick(List.copyOf(RateTraces.ALL.keySet()));
    return new Noise(
        "trace",
        "the rate follows the recorded trace " + trace + " (Timm 2021)",
        List.of(
            RateTraces.replay(
                Objects.requireNonNull(RateTraces.ALL.get(trace)), dice.uniform(0, 1))));
  }

  private static Noise wandering(String word, double deviation, double correlation) {
    return new Noise(
        String.format(Locale.ROOT, "%s-%.0f%%", word, 100 * deviation),
        String.format(
            Locale.ROOT,
            "the rate wanders by %.0f %%, with a correlation of %.1f from second to second",
            100 * deviation,
            correlation),
        List.of(Noise.wander(deviation, correlation)));
  }
}
