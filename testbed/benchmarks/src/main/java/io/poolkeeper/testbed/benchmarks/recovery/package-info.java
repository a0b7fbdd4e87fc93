/** Recovery of an adaptive pool from faults of what it works with. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.recovery;

import org.jspecify.annotations.NullMarked;
