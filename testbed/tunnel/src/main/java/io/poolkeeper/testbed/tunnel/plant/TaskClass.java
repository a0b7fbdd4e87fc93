package io.poolkeeper.testbed.tunnel.plant;

/**
 * Tasks of one kind. Their work is exponentially distributed.
 *
 * @param share fraction of all tasks, above 0 up to 1
 * @param work mean work of one, as a multiple of the mean of all tasks of the plant
 */
public record TaskClass(double share, double work) {}
