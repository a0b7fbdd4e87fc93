/** Stations where work is done: one task after the other, or shared. */
@NullMarked
package io.poolkeeper.testbed.simulator.engine.station;

import org.jspecify.annotations.NullMarked;
