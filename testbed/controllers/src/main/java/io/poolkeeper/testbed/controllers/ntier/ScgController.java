package io.poolkeeper.testbed.controllers.ntier;

import io.poolkeeper.Window;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Scatter concurrency goodput, the model of Sora (Sora: A Latency Sensitive Approach for
 * Microservice Soft Resource Adaptation, Middleware 2023; built from its description).
 *
 * <p><b>Rule.</b> Every 100 ms a point: time-weighted concurrency, and completions within the
 * deadline per second. The points of three minutes are grouped by concurrency, a polynomial of
 * degree 5 to 8 is fitted and normalised, and the knee by Kneedle, the largest {@code y - x}, is
 * the size.
 *
 * <p><b>What is ours.</b> The deadline is the bound of the pool's goodput objective; without one
 * all completions count. The source derives it from the service level of the whole request, less
 * the processing times before this service; the user has to do so here. Of the degrees the one with
 * the smallest residual per degree of freedom is taken, a group counts as often as it has points,
 * and fewer than six concurrencies make no curve. An estimate every 10 s. Every concave curve has a
 * knee, also one that was not seen far enough: where the largest concurrency has a tenth more than
 * the knee and the concurrency sits at its cap, the size grows as if there were no knee.
 *
 * <p><b>When it fails.</b> A knee needs a concurrency that varies; a saturated pool has one alone
 * until it grows. The knee of a curve with a peak lies in front of the peak. After a change of the
 * work the old points mislead for three minutes.
 */
public final class ScgController extends ScatterController {

  private static final Duration WINDOW = Duration.ofMillis(100);
  private static final int PERIOD = 100;

  /** Rate at the largest concurrency, as a multiple of that at the knee, of a curve that rises. */
  private static final double RISING = 1.1;

  /** Makes a controller that knows nothing. */
  public ScgController() {
    super("sora-scg", WINDOW, PERIOD);
  }

  @Override
  ScgController fresh() {
    return new ScgController();
  }

  @Override
  double rate(Window window) {
    return window.goodput();
  }

  @Override
  Optional<Estimate> estimate(Scatter scatter) {
    return Knee.of(scatter.groups()).map(ScgController::estimate);
  }

  private static Estimate estimate(Knee knee) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("knee", (double) knee.concurrency());
    numbers.put("goodput", knee.rate());
    numbers.put("degree", (double) knee.degree());
    numbers.put("distance", knee.distance());
    return new Estimate(
        knee.concurrency(),
        knee.lastRate() > RISING * knee.rate(),
        String.format(
            Locale.ROOT,
            "the knee of a polynomial of degree %d is %d with %.1f/s",
            knee.degree(),
            knee.concurrency(),
            knee.rate()),
        numbers);
  }
}
