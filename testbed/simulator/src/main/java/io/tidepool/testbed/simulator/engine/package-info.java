/**
 * A run: assembled out of a model, then taken from event to event. What is public here and below is
 * for these packages and {@link io.tidepool.testbed.simulator.Simulation} alone.
 */
@NullMarked
package io.tidepool.testbed.simulator.engine;

import org.jspecify.annotations.NullMarked;
