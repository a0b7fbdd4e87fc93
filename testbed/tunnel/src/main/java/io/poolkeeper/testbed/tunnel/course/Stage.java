package io.poolkeeper.testbed.tunnel.course;

import io.poolkeeper.testbed.tunnel.plant.Plant;

/**
 * A time in which neither plant nor demand change.
 *
 * @param seconds how long, a whole number of seconds
 * @param plant what does the work
 * @param demand who wants it done
 */
public record Stage(int seconds, Plant plant, Demand demand) {}
