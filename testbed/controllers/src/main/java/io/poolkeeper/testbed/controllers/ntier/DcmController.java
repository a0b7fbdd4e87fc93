package io.poolkeeper.testbed.controllers.ntier;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Dynamic concurrency management (DCM: Dynamic Concurrency Management for Scaling n-Tier
 * Applications in Cloud, ICDCS 2017; built from its description).
 *
 * <p><b>Rule.</b> A server of concurrency {@code N} has the throughput {@code X(N) = N / (S0 + a (N
 * - 1) + b N (N - 1))}, fitted online by least squares; the size is {@code N* = sqrt((S0 - a) /
 * b)}, where it is largest.
 *
 * <p><b>What is ours.</b> {@code N / X} is linear in {@code S0}, {@code a} and {@code b}, so the
 * fit is linear; a point is weighted by {@code X / N}, which makes its residual a fraction. Points
 * are windows of 1 s over three minutes, an estimate is made every 15 s. The fit must have {@code
 * b} above 0 and {@code S0} above {@code a}, else it has no peak and says nothing. No estimate goes
 * beyond twice the largest concurrency that was seen.
 *
 * <p><b>When it fails.</b> From concurrencies that are near each other it extrapolates noise. A
 * plateau has no {@code b}. After a change of the work the old points mislead for three minutes.
 */
public final class DcmController extends ScatterController {

  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final int PERIOD = 15;
  private static final int FURTHEST = 2;

  /**
   * The law of a server.
   *
   * @param alone time of a task alone, S0, seconds
   * @param contention a, seconds
   * @param coherence b, seconds
   */
  record Law(double alone, double contention, double coherence) {

    /** Fits the law to points; empty if they do not determine it, or it has no peak. */
    static Optional<Law> fit(List<Scatter.Point> points) {
      List<Scatter.Point> useful =
          points.stream().filter(each -> each.rate() > 0 && each.concurrency() > 0).toList();
      double[][] rows = new double[useful.size()][];
      double[] right = new double[useful.size()];
      for (int i = 0; i < rows.length; i++) {
        double n = useful.get(i).concurrency();
        double weight = useful.get(i).rate() / n;
        rows[i] = new double[] {weight, weight * (n - 1), weight * n * (n - 1)};
        right[i] = 1;
      }
      return LeastSquares.solve(rows, right)
          .map(x -> new Law(x[0], x[1], x[2]))
          .filter(law -> law.coherence > 0 && law.alone > law.contention);
    }

    /** Returns the concurrency at which the throughput is largest. */
    double best() {
      return Math.sqrt((alone - contention) / coherence);
    }

    /** Returns the throughput of a concurrency, per second. */
    double throughput(double n) {
      return n / (alone + contention * (n - 1) + coherence * n * (n - 1));
    }
  }

  /** Makes a controller that knows nothing. */
  public DcmController() {
    super("dcm", WINDOW, PERIOD);
  }

  @Override
  DcmController fresh() {
    return new DcmController();
  }

  @Override
  Optional<Estimate> estimate(Scatter scatter) {
    List<Scatter.Point> points = scatter.points();
    double seen = points.stream().mapToDouble(Scatter.Point::concurrency).max().orElse(1);
    return Law.fit(points)
        .filter(law -> Double.isFinite(law.best()))
        .map(law -> estimate(law, FURTHEST * seen));
  }

  private static Estimate estimate(Law law, double furthest) {
    double best = law.best();
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("s0", 1e9 * law.alone());
    numbers.put("a", 1e9 * law.contention());
    numbers.put("b", 1e9 * law.coherence());
    numbers.put("best", best);
    numbers.put("throughput", law.throughput(best));
    return new Estimate(
        (int) Math.max(1, Math.round(Math.min(best, furthest))),
        false,
        String.format(
            Locale.ROOT,
            "the fitted law is largest at %.1f with %.1f/s",
            best,
            law.throughput(best)),
        numbers);
  }
}
