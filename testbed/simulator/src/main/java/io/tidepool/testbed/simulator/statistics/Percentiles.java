package io.tidepool.testbed.simulator.statistics;

import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Percentiles out of histograms, interpolated. */
public final class Percentiles {

  private Percentiles() {}

  /**
   * Percentiles of what a histogram counted. The values of one bucket are taken to lie evenly in
   * it, which leaves an error far below the width of the bucket, where the histogram's own answer,
   * the upper edge, is too high by half of it.
   *
   * @param fractions ascending, within 0..1
   * @return a value for each; NaN if nothing was counted
   */
  public static double[] of(Histogram histogram, double... fractions) {
    double[] values = new double[fractions.length];
    Arrays.fill(values, Double.NaN);
    double count = histogram.getTotalCount();
    int found = 0;
    for (HistogramIterationValue bucket : histogram.recordedValues()) {
      double above = bucket.getTotalCountToThisValue();
      double below = above - bucket.getCountAddedInThisIterationStep();
      while (found < fractions.length && above >= fractions[found] * count) {
        long low = histogram.lowestEquivalentValue(bucket.getValueIteratedTo());
        long width = histogram.sizeOfEquivalentValueRange(low);
        double part = (fractions[found] * count - below) / (above - below);
        // A bucket of one value is that value: nothing lies between whole nanoseconds.
        values[found] = width == 1 ? low : low + Math.max(0, part) * width;
        found++;
      }
    }
    return values;
  }
}
