package io.poolkeeper.testbed.simulator.statistics;

import org.HdrHistogram.Histogram;

/**
 * A distribution of times, in seconds.
 *
 * @param count how many
 * @param mean mean
 * @param p50 median
 * @param p90 90th percentile
 * @param p95 95th percentile
 * @param p99 99th percentile
 * @param p999 99.9th percentile
 * @param max largest
 * @param nanoseconds all of them, in nanoseconds, to the digits of the run; not to be changed
 */
public record TimesEstimate(
    long count,
    Estimate mean,
    Estimate p50,
    Estimate p90,
    Estimate p95,
    Estimate p99,
    Estimate p999,
    double max,
    Histogram nanoseconds) {

  /** Fraction of the times that are at most {@code seconds}; NaN if there are none. */
  public double within(double seconds) {
    return count == 0
        ? Double.NaN
        : (double) nanoseconds.getCountBetweenValues(0, (long) (seconds * 1e9)) / count;
  }
}
