/** Counts what is lost under faults. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.stress;

import org.jspecify.annotations.NullMarked;
