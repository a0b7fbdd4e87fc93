package io.poolkeeper.testbed.simulator.statistics;

import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * An estimated value and how far it may be off. The samples behind it are taken to be independent
 * and their mean to be about normal: means of replications, or of batches that are long against the
 * time that the system remembers.
 *
 * @param value the estimate
 * @param standardError of the estimate; NaN for fewer than two samples
 * @param samples number of batches or replications behind the standard error
 */
public record Estimate(double value, double standardError, int samples) {

  /** The mean of independent samples, and its standard error. */
  public static Estimate of(double... samples) {
    double mean = Arrays.stream(samples).average().orElse(Double.NaN);
    return centredOn(mean, samples);
  }

  /**
   * A value that is better known than as the mean of the samples, such as a percentile of all
   * observations where the samples are percentiles of batches; its standard error is theirs.
   */
  public static Estimate centredOn(double value, double... samples) {
    double mean = Arrays.stream(samples).average().orElse(Double.NaN);
    double squares = Arrays.stream(samples).map(x -> (x - mean) * (x - mean)).sum();
    int n = samples.length;
    double error = n < 2 ? Double.NaN : Math.sqrt(squares / (n - 1) / n);
    return new Estimate(value, error, n);
  }

  /**
   * Half the width of the confidence interval, by Student's t with {@code samples - 1} degrees of
   * freedom.
   *
   * @param level such as 0.95, above 0 and below 1
   */
  public double halfWidth(double level) {
    if (!(level > 0 && level < 1)) {
      throw new IllegalArgumentException("level must be above 0 and below 1, but is " + level);
    }
    return samples < 2
        ? Double.NaN
        : TDistribution.of(samples - 1).inverseCumulativeProbability((1 + level) / 2)
            * standardError;
  }

  /** Whether the confidence interval contains a value. */
  public boolean contains(double other, double level) {
    return Math.abs(other - value) <= halfWidth(level);
  }

  /** Value and half width of the interval of 95 %. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.6g ± %.2g", value, halfWidth(0.95));
  }
}
