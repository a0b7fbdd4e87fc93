/**
 * Immutable descriptions of what is simulated: tiers with what they own, the work of a request,
 * clients. They are apart from the engine so that one description serves many runs.
 */
@NullMarked
package io.poolkeeper.testbed.simulator.model;

import org.jspecify.annotations.NullMarked;
