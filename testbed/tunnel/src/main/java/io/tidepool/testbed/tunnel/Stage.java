package io.tidepool.testbed.tunnel;

/**
 * A time in which neither plant nor demand change.
 *
 * @param seconds how long, a whole number of seconds
 * @param plant what does the work
 * @param demand who wants it done
 */
record Stage(int seconds, Plant plant, Demand demand) {}
