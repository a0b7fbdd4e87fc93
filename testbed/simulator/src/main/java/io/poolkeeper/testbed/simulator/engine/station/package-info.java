/** Where work is done: one after the other, or shared. */
@NullMarked
package io.poolkeeper.testbed.simulator.engine.station;

import org.jspecify.annotations.NullMarked;
