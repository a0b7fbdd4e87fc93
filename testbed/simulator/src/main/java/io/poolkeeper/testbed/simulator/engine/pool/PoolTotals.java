package io.poolkeeper.testbed.simulator.engine.pool;

import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.engine.measure.TimesBatches;
import io.poolkeeper.testbed.simulator.statistics.PoolStats;
import io.poolkeeper.testbed.simulator.statistics.TimesEstimate;
import java.util.ArrayList;
import java.util.List;

/** Totals of a pool since the start of the run, and since the statistics began. */
public final class PoolTotals {

  long arrivals;
  long completions;
  long failures;
  long rejections;
  int queueMax;

  private final TimesBatches waits;
  private final TimesBatches services;
  private final boolean timed;
  private Reading statisticsSince = Reading.ZERO;
  private Reading batchStart = Reading.ZERO;
  private final List<Double> busySeries = new ArrayList<>();
  private final List<Double> queueSeries = new ArrayList<>();

  private long at;
  private double busyArea;
  private double queueArea;
  private double sizeArea;

  /** A point in time; two of them make the difference that a window is. */
  record Reading(
      long at,
      long arrivals,
      long completions,
      long failures,
      long rejections,
      double busyArea,
      double queueArea,
      double sizeArea) {
    static final Reading ZERO = new Reading(0, 0, 0, 0, 0, 0, 0, 0);
  }

  /**
   * @param digits significant digits of the times
   * @param timed whether times are kept at all
   */
  public PoolTotals(int digits, boolean timed) {
    waits = new TimesBatches(digits);
    services = new TimesBatches(digits);
    this.timed = timed;
  }

  /** Accounts for the time up to now; to be called before anything changes. */
  void account(long now, int busy, int queued, int size) {
    long elapsed = now - at;
    if (elapsed > 0) {
      // Sums of whole numbers of nanoseconds: exact in a double for some months of one task.
      busyArea += (double) elapsed * busy;
      queueArea += (double) elapsed * queued;
      sizeArea += (double) elapsed * size;
      at = now;
    }
  }

  void record(long wait, long service) {
    if (timed) {
      waits.record(wait);
      services.record(service);
    }
  }

  /** Ends a batch; the time up to now must have been accounted for. */
  public void endBatch() {
    waits.endBatch();
    services.endBatch();
    double length = at - batchStart.at();
    if (length > 0) {
      busySeries.add((busyArea - batchStart.busyArea()) / length);
      queueSeries.add((queueArea - batchStart.queueArea()) / length);
      batchStart = reading();
    }
  }

  /** Forgets the warm-up. */
  void restart(int queued) {
    waits.reset();
    services.reset();
    statisticsSince = reading();
    batchStart = statisticsSince;
    busySeries.clear();
    queueSeries.clear();
    queueMax = queued;
  }

  Reading reading() {
    return new Reading(
        at, arrivals, completions, failures, rejections, busyArea, queueArea, sizeArea);
  }

  public PoolStats stats(String name) {
    Reading start = statisticsSince;
    double length = at - start.at();
    TimesEstimate wait = waits.estimate();
    return new PoolStats(
        name,
        (sizeArea - start.sizeArea()) / length,
        (busyArea - start.busyArea()) / length,
        (queueArea - start.queueArea()) / length,
        queueMax,
        arrivals - start.arrivals(),
        completions - start.completions(),
        failures - start.failures(),
        rejections - start.rejections(),
        (completions - start.completions()) / Time.seconds(length),
        wait,
        services.estimate(),
        List.copyOf(busySeries),
        List.copyOf(queueSeries));
  }
}
