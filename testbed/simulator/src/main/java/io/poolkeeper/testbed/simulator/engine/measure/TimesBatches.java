package io.poolkeeper.testbed.simulator.engine.measure;

import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import io.poolkeeper.testbed.simulator.statistics.Percentiles;
import io.poolkeeper.testbed.simulator.statistics.TimesEstimate;
import java.util.ArrayList;
import java.util.List;

/** A distribution of times with its statistics by batch, for the standard errors. */
public final class TimesBatches {

  private static final double[] FRACTIONS = {0.5, 0.9, 0.95, 0.99, 0.999};

  private final Times all;
  private final Times batch;
  private final List<double[]> percentiles = new ArrayList<>();
  private final List<Double> means = new ArrayList<>();

  public TimesBatches(int digits) {
    all = new Times(digits);
    batch = new Times(digits);
  }

  public void record(long nanos) {
    batch.record(nanos);
  }

  long batchCount() {
    return batch.count();
  }

  /** Times of the batch that are at most {@code nanos}, to the digits of the run. */
  long batchWithin(long nanos) {
    return batch.count() == 0 ? 0 : batch.histogram().getCountBetweenValues(0, nanos);
  }

  /** Ends a batch; one without times says nothing. */
  public void endBatch() {
    if (batch.count() > 0) {
      means.add(batch.sum() / batch.count());
      percentiles.add(Percentiles.of(batch.histogram(), FRACTIONS));
      all.add(batch);
      batch.reset();
    }
  }

  public void reset() {
    batch.reset();
    all.reset();
    means.clear();
    percentiles.clear();
  }

  public TimesEstimate estimate() {
    double[] values = Percentiles.of(all.histogram(), FRACTIONS);
    double mean = all.count() == 0 ? Double.NaN : all.sum() / all.count();
    return new TimesEstimate(
        all.count(),
        seconds(mean, means.stream().mapToDouble(Double::doubleValue).toArray()),
        percentile(values, 0),
        percentile(values, 1),
        percentile(values, 2),
        percentile(values, 3),
        percentile(values, 4),
        Time.seconds(all.max()),
        all.histogram());
  }

  private Estimate percentile(double[] values, int index) {
    return seconds(
        values[index], percentiles.stream().mapToDouble(batch -> batch[index]).toArray());
  }

  private static Estimate seconds(double value, double[] samples) {
    for (int i = 0; i < samples.length; i++) {
      samples[i] = Time.seconds(samples[i]);
    }
    return Estimate.centredOn(Time.seconds(value), samples);
  }
}
