/** The way of a request: who sends it, and the program of steps that it goes through. */
@NullMarked
package io.poolkeeper.testbed.simulator.engine.flow;

import org.jspecify.annotations.NullMarked;
