/**
 * The event loop and the state of a run, in primitive arrays; for {@link
 * io.tidepool.testbed.simulator.Simulation} alone.
 */
@NullMarked
package io.tidepool.testbed.simulator.engine;

import org.jspecify.annotations.NullMarked;
