package io.tidepool.testbed.simulator.statistics;

/**
 * What happened at one station after the warm-up.
 *
 * @param name its name
 * @param utilisation mean fraction of its cores that worked, or of the time, for a station whose
 *     rate is a curve, in which it had a task
 * @param present time-weighted mean number of tasks in it, waiting ones included
 */
public record StationStats(String name, double utilisation, double present) {}
