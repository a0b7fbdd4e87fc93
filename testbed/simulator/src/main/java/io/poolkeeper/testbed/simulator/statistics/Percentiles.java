package io.poolkeeper.testbed.simulator.statistics;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

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
    double[] percentiles = new double[fractions.length];
    long count = histogram.getTotalCount();
    if (count == 0) {
      Arrays.fill(percentiles, Double.NaN);
      return percentiles;
    }
    long value = histogram.lowestEquivalentValue(histogram.getMinValue());
    long here = histogram.getCountAtValue(value);
    long before = 0;
    for (int i = 0; i < fractions.length; i++) {
      double wanted = fractions[i] * count;
      while (before + here < wanted) {
        before += here;
        value = histogram.nextNonEquivalentValue(value);
        here = histogram.getCountAtValue(value);
      }
      long width = histogram.sizeOfEquivalentValueRange(value);
      // A bucket of one value is that value: nothing lies between whole nanoseconds.
      percentiles[i] = width == 1 ? value : value + Math.max(0, wanted - before) / here * width;
    }
    return percentiles;
  }
}
