/**
 * Measurements of a run, and how certain they are; apart, because other tools read them as well.
 */
@NullMarked
package io.poolkeeper.testbed.simulator.statistics;

import org.jspecify.annotations.NullMarked;
