package io.poolkeeper.testbed.simulator.engine.measure;

import org.HdrHistogram.Histogram;

/** A distribution of durations in nanoseconds: its shape in a histogram, mean and maximum exact. */
final class Times {

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
}
