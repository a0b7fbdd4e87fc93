/**
 * A run: assembled out of a model, then taken from event to event. What is public here and below is
 * for these packages and {@link io.poolkeeper.testbed.simulator.Simulation} alone.
 */
@NullMarked
package io.poolkeeper.testbed.simulator.engine;

import org.jspecify.annotations.NullMarked;
