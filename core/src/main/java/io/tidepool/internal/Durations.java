package io.tidepool.internal;

import io.tidepool.TimeStats;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

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

  void add(Durations other) {
    histogram.add(other.histogram);
    sum += other.sum;
    max = Math.max(max, other.max);
  }

  long count() {
    return histogram.getTotalCount();
  }

  void reset() {
    if (histogram.getTotalCount() > 0) {
      histogram.reset();
      sum = 0;
      max = 0;
    }
  }

  /** All percentiles in one pass; the histogram's own accessor makes a pass for each. */
  TimeStats stats() {
    long count = histogram.getTotalCount();
    if (count == 0) {
      return TimeStats.EMPTY;
    }
    long[] values = new long[FRACTIONS.length];
    long seen = 0;
    int next = 0;
    for (HistogramIterationValue bucket : histogram.recordedValues()) {
      seen += bucket.getCountAddedInThisIterationStep();
      while (next < FRACTIONS.length && seen >= Math.ceil(FRACTIONS[next] * count)) {
        values[next++] = Math.min(max, bucket.getValueIteratedTo());
      }
      if (next == FRACTIONS.length) {
        break;
      }
    }
    return new TimeStats(
        count, sum / count, values[0], values[1], values[2], values[3], values[4], max);
  }
}
