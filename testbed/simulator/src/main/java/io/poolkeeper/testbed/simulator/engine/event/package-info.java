/**
 * Virtual time: the calendar of what happens next, the requests to which it happens, and the
 * streams of random numbers.
 */
@NullMarked
package io.poolkeeper.testbed.simulator.engine.event;

import org.jspecify.annotations.NullMarked;
