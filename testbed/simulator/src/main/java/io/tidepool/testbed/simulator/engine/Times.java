package io.tidepool.testbed.simulator.engine;

import io.tidepool.TimeStats;
import org.HdrHistogram.Histogram;

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
    if (other.count() == 0) {
      return;
    }
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

  /**
   * As a window has it: a percentile is the highest value that the histogram takes for it. One pass
   * over the values that occur; the histogram's own accessor makes one over all that could, for
   * each percentile.
   */
  TimeStats stats() {
    long count = count();
    if (count == 0) {
      return TimeStats.EMPTY;
    }
    long[] found = new long[FRACTIONS.length];
    long value = histogram.getMinValue();
    long upToValue = histogram.getCountAtValue(value);
    for (int i = 0; i < FRACTIONS.length; i++) {
      double wanted = Math.ceil(FRACTIONS[i] * count);
      while (upToValue < wanted) {
        value = histogram.nextNonEquivalentValue(value);
        upToValue += histogram.getCountAtValue(value);
      }
      found[i] = Math.min(max, histogram.highestEquivalentValue(value));
    }
    return new TimeStats(count, sum / count, found[0], found[1], found[2], found[3], found[4], max);
  }
}
