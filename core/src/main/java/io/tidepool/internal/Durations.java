package io.tidepool.internal;

import io.tidepool.TimeStats;
import org.HdrHistogram.Histogram;

/**
 * A distribution of durations: the shape in an HdrHistogram of two significant digits that grows
 * with its largest value (128 counts an octave, 16 KB for durations up to 100 ms), the sum and the
 * maximum exactly. Not thread-safe.
 */
final class Durations {

  /** A day. A longer duration counts as one, which keeps the histogram below 50 KB. */
  private static final long LONGEST = 86_400_000_000_000L;

  private static final double[] FRACTIONS = {0.5, 0.9, 0.95, 0.99, 0.999};

  private final Histogram histogram = new Histogram(2);
  private double sum;
  private long max;

  void record(long nanos) {
    // A clock that is not quite monotonic between two cores must not throw into a user's task.
    long value = Math.max(0, Math.min(LONGEST, nanos));
    histogram.recordValue(value);
    sum += value;
    if (value > max) {
      max = value;
    }
  }

  void recordZeros(long times) {
    histogram.recordValueWithCount(0, times);
  }

  void add(Durations other) {
    if (other.count() > 0) {
      histogram.add(other.histogram);
      sum += other.sum;
      max = Math.max(max, other.max);
    }
  }

  long count() {
    return histogram.getTotalCount();
  }

  void reset() {
    if (count() > 0) {
      histogram.reset();
      sum = 0;
      max = 0;
    }
  }

  /**
   * All percentiles in one pass over the values that occur; the histogram's own accessor makes a
   * pass for each, over all that could.
   */
  TimeStats stats() {
    long count = count();
    if (count == 0) {
      return TimeStats.EMPTY;
    }
    long[] percentiles = new long[FRACTIONS.length];
    long seen = 0;
    long value = histogram.getMinValue();
    for (int i = 0; i < FRACTIONS.length; i++) {
      double wanted = Math.ceil(FRACTIONS[i] * count);
      while (seen + histogram.getCountAtValue(value) < wanted) {
        seen += histogram.getCountAtValue(value);
        value = histogram.nextNonEquivalentValue(value);
      }
      percentiles[i] = Math.min(max, histogram.highestEquivalentValue(value));
    }
    return new TimeStats(
        count,
        sum / count,
        percentiles[0],
        percentiles[1],
        percentiles[2],
        percentiles[3],
        percentiles[4],
        max);
  }
}
