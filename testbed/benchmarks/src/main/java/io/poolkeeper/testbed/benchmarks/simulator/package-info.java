/** Measures the simulator against those of others. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.simulator;

import org.jspecify.annotations.NullMarked;
