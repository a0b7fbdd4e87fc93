package io.poolkeeper.testbed.benchmarks.figures;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * A figure of several draws, with its interval of 95 % by drawing them again (Efron and Tibshirani,
 * An Introduction to the Bootstrap, 1993, chapter 13). The same draws have the same interval.
 *
 * @param figure of all draws
 * @param least lower end
 * @param most upper end
 */
public record BootstrapInterval(double figure, double least, double most) {

  private static final int RESAMPLES = 2000;
  private static final double LEAST_SHARE = 1e-3;

  /** Returns a figure of at least one draw. */
  public static <T> BootstrapInterval of(List<T> draws, ToDoubleFunction<List<T>> figure) {
    Random random = new Random(1);
    double[] figures =
        IntStream.range(0, RESAMPLES)
            .mapToDouble(
                again ->
                    figure.applyAsDouble(
                        IntStream.range(0, draws.size())
                            .mapToObj(each -> draws.get(random.nextInt(draws.size())))
                            .toList()))
            .sorted()
            .toArray();
    return new BootstrapInterval(
        figure.applyAsDouble(draws),
        figures[(int) (0.025 * RESAMPLES)],
        figures[(int) (0.975 * RESAMPLES)]);
  }

  /** Returns the geometric mean of shares. A share of nothing counts as a thousandth. */
  public static double geometricMean(Collection<Double> shares) {
    return Math.exp(
        shares.stream()
            .mapToDouble(share -> Math.log(Math.max(LEAST_SHARE, share)))
            .average()
            .orElseThrow());
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", figure, least, most);
  }
}
