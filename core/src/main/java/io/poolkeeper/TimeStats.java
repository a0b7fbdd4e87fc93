package io.poolkeeper;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of durations in nanoseconds. Mean and maximum are exact. Percentiles are exact for up
 * to 256 durations; of more, a percentile has the precision of an HdrHistogram of two significant
 * digits and is at most 1 % too high. All values are 0 if {@code count} is 0.
 *
 * @param count number of durations
 * @param mean arithmetic mean
 * @param p50 median
 * @param p90 90th percentile
 * @param p95 95th percentile
 * @param p99 99th percentile
 * @param p999 99.9th percentile
 * @param max largest
 * @param further another percentile that an objective needs, null for none
 */
public record TimeStats(
    long count,
    double mean,
    long p50,
    long p90,
    long p95,
    long p99,
    long p999,
    long max,
    @Nullable Percentile further) {

  /** The statistics of nothing. */
  public static final TimeStats EMPTY = new TimeStats(0, 0, 0, 0, 0, 0, 0, 0);

  /**
   * A percentile.
   *
   * @param fraction of the durations that are not longer, from 0 to 1
   * @param value nanoseconds
   */
  public record Percentile(double fraction, long value) {}

  /** Makes statistics without a further percentile. */
  public TimeStats(
      long count, double mean, long p50, long p90, long p95, long p99, long p999, long max) {
    this(count, mean, p50, p90, p95, p99, p999, max, null);
  }

  /**
   * Returns a percentile by its fraction; 0 if there are no durations.
   *
   * @throws IllegalArgumentException if it was not measured
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
    } else if (further != null && fraction == further.fraction) {
      return further.value;
    } else if (count == 0) {
      return 0;
    }
    throw new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "percentile %s was not measured, only 0.5, 0.9, 0.95, 0.99, 0.999 and that of the"
                + " pool's objective",
            fraction));
  }
}
