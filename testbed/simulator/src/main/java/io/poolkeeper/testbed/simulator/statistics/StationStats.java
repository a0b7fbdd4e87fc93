package io.poolkeeper.testbed.simulator.statistics;

/**
 * Statistics of one station after the warm-up.
 *
 * @param name its name
 * @param utilisation mean fraction of its cores that had a task, pauses included; for a station
 *     whose rate is a curve, the fraction of the time in which it had one
 * @param present time-weighted mean number of tasks in it, waiting ones included
 */
public record StationStats(String name, double utilisation, double present) {}
