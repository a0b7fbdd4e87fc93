package io.poolkeeper.testbed.simulator.statistics;

import java.util.List;

/**
 * Statistics of one pool after the warm-up.
 *
 * @param name its name
 * @param size time-weighted mean of its size
 * @param busy time-weighted mean number of units held
 * @param queueMean time-weighted mean number of waiting tasks
 * @param queueMax largest number of waiting tasks
 * @param arrivals tasks offered, refused ones included
 * @param completions tasks that ended normally
 * @param failures tasks that ended because a call of theirs was refused or failed
 * @param rejections tasks refused
 * @param throughput completions per second
 * @param queueWait of the tasks that ended, seconds
 * @param serviceTime of the tasks that ended, seconds; calls to other tiers included
 * @param busySeries mean number of units held in each batch
 * @param queueSeries mean number of waiting tasks in each batch
 */
public record PoolStats(
    String name,
    double size,
    double busy,
    double queueMean,
    int queueMax,
    long arrivals,
    long completions,
    long failures,
    long rejections,
    double throughput,
    TimesEstimate queueWait,
    TimesEstimate serviceTime,
    List<Double> busySeries,
    List<Double> queueSeries) {

  /** Busy units as a fraction of the size. */
  public double utilisation() {
    return busy / size;
  }

  /** Fraction of the arrivals that were refused. */
  public double lossRatio() {
    return (double) rejections / arrivals;
  }
}
