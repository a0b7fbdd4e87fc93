/**
 * One run: a plant with its load and noise on the simulator, a size decided by a pilot, and its
 * trace.
 */
@NullMarked
package io.poolkeeper.testbed.tunnel.flight;

import org.jspecify.annotations.NullMarked;
