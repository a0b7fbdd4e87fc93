package io.poolkeeper.testbed.simulator.statistics;

import java.util.List;

/**
 * Statistics of one station after the warm-up.
 *
 * @param name its name
 * @param utilisation mean fraction of its cores that had a task, pauses included; under a quota the
 *     CPU time over the quota; for a station whose rate is a curve, the fraction of the time in
 *     which it had one
 * @param present time-weighted mean number of tasks in it, waiting ones included
 * @param utilisationSeries utilisation in each batch
 */
public record StationStats(
    String name, double utilisation, double present, List<Double> utilisationSeries) {}
