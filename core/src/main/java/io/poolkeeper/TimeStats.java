package io.poolkeeper;

import java.util.Locale;

/**
 * A distribution of durations, all in nanoseconds. The mean and the maximum are exact. So are the
 * percentiles of a few hundred durations; of more, a percentile is the highest value that an
 * HdrHistogram of two significant digits cannot tell from it, at most 1 % above the value it stands
 * for. All values are 0 when {@code count} is 0.
 *
 * @param count how many durations
 * @param mean arithmetic mean
 * @param p50 median
 * @param p90 90th percentile
 * @param p95 95th percentile
 * @param p99 99th percentile
 * @param p999 99.9th percentile
 * @param max largest
 */
public record TimeStats(
    long count, double mean, long p50, long p90, long p95, long p99, long p999, long max) {

  /** The statistics of nothing. */
  public static final TimeStats EMPTY = new TimeStats(0, 0, 0, 0, 0, 0, 0, 0);

  /**
   * One of the percentiles held here.
   *
   * @param fraction 0.5, 0.9, 0.95, 0.99 or 0.999
   * @throws IllegalArgumentException for any other fraction
   */
  public long percentile(double fraction) {
    // Compared exactly: the fractions are literals on both sides, never results of arithmetic.
    if (fraction == 0.5) {
      return p50;
    } else if (fraction == 0.9) {
      return p90;
    } else if (fraction == 0.95) {
      return p95;
    } else if (fraction == 0.99) {
      return p99;
    } else if (fraction == 0.999) {
      return p999;
    }
    throw new IllegalArgumentException(
        String.format(
            Locale.ROOT, "percentile must be 0.5, 0.9, 0.95, 0.99 or 0.999, but is %s", fraction));
  }
}
