/** Measurements of a run: times and requests, batch by batch. */
@NullMarked
package io.poolkeeper.testbed.simulator.engine.measure;

import org.jspecify.annotations.NullMarked;
