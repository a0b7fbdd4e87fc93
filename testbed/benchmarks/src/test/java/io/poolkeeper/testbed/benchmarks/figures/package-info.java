/** Tests of what all benchmarks print. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.figures;

import org.jspecify.annotations.NullMarked;
