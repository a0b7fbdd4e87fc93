package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Require;
import java.util.Locale;

/**
 * The gradient of a short against a long average time (Netflix concurrency-limits, Gradient2; built
 * from its description).
 *
 * <p><b>Rule.</b> Each time enters a long average, exponential over 600 samples. With {@code g =
 * clamp(1.5 * long / time, 0.5, 1)}, the limit becomes {@code 0.8 L + 0.2 (g L + 4)}. When the long
 * average is more than twice the time, it is multiplied by 0.95, so that it comes down sooner after
 * an overload.
 *
 * <p><b>Where the source is silent.</b> An exponential average over {@code n} samples has the
 * weight {@code 2 / (n + 1)}, and its first 10 samples are averaged plainly. While less than half
 * of the limit is used it does not move. A drop is a sample as any other. The limit starts at 20
 * and stays within 20 and 200.
 *
 * <p><b>When it fails.</b> The baseline is the load itself: in a long overload it drifts up until
 * {@code g} is 1 and the limit goes up by 0.8 a sample to its maximum, even with every sample
 * dropped. A smallest limit of 20 is too large for a plant that is best with fewer.
 */
public final class Gradient2Rule implements SampleRule {

  private static final int WINDOW = 600;
  private static final int WARM_UP = 10;
  private static final double TOLERANCE = 1.5;
  private static final double SMOOTHING = 0.2;
  private static final int QUEUE = 4;
  private static final double DRIFT = 0.95;

  private final int minimum;
  private final int maximum;
  private double limit;
  private double average;
  private double sum;
  private int warm;
  private double gradient = 1;
  private long last;

  /**
   * @param initial first limit
   * @param minimum smallest limit, 1 or more
   * @param maximum largest limit, {@code minimum} or more
   */
  public Gradient2Rule(int initial, int minimum, int maximum) {
    Require.limits(initial, minimum, maximum);
    this.limit = initial;
    this.minimum = minimum;
    this.maximum = maximum;
  }

  @Override
  public String name() {
    return "gradient2-style";
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
    double baseline = averaged(time);
    if (baseline > 2 * time) {
      average = DRIFT * baseline;
    }
    if (inFlight < limit / 2) {
      return;
    }
    last = time;
    gradient = Math.max(0.5, Math.min(1, TOLERANCE * baseline / time));
    double next = (1 - SMOOTHING) * limit + SMOOTHING * (gradient * limit + QUEUE);
    limit = Math.max(minimum, Math.min(maximum, next));
  }

  private double averaged(long time) {
    if (warm < WARM_UP) {
      warm++;
      sum += time;
      average = sum / warm;
    } else {
      double weight = 2.0 / (WINDOW + 1);
      average = (1 - weight) * average + weight * time;
    }
    return average;
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "time %.3f ms against a long average of %.3f ms: gradient %.2f, limit %.1f",
        last / 1e6,
        average / 1e6,
        gradient,
        limit);
  }
}
