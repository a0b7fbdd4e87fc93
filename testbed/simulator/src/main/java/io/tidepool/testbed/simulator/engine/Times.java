package io.tidepool.testbed.simulator.engine;

import io.tidepool.TimeStats;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** A distribution of durations in nanoseconds: its shape in a histogram, mean and maximum exact. */
final class Times {

  private static final double[] FRACTIONS = {0.5, 0.9, 0.95, 0.99, 0.999};

  private final Histogram histogram;
  private double sum;
  private long max;

  /**
   * @param digits significant digits of the histogram, 1 to 5
   */
  Times(int digits) {
    histogram = new Histogram(digits);
  }

  void record(long nanos) {
    histogram.recordValue(nanos);
    sum += nanos;
    if (nanos > max) {
      max = nanos;
    }
  }

  void recordZeros(long times) {
    if (times > 0) {
      histogram.recordValueWithCount(0, times);
    }
  }

  void add(Times other) {
    histogram.add(other.histogram);
    sum += other.sum;
    max = Math.max(max, other.max);
  }

  long count() {
    return histogram.getTotalCount();
  }

  double sum() {
    return sum;
  }

  long max() {
    return max;
  }

  Histogram histogram() {
    return histogram;
  }

  void reset() {
    if (count() > 0) {
      histogram.reset();
      sum = 0;
      max = 0;
    }
  }

  /** As a window has it: a percentile is the highest value that the histogram takes for it. */
  TimeStats stats() {
    long count = count();
    if (count == 0) {
      return TimeStats.EMPTY;
    }
    long[] values = new long[FRACTIONS.length];
    int found = 0;
    for (HistogramIterationValue value : histogram.recordedValues()) {
      while (found < FRACTIONS.length
          && value.getTotalCountToThisValue() >= Math.ceil(FRACTIONS[found] * count)) {
        values[found] = Math.min(max, value.getValueIteratedTo());
        found++;
      }
    }
    return new TimeStats(
        count, sum / count, values[0], values[1], values[2], values[3], values[4], max);
  }
}
