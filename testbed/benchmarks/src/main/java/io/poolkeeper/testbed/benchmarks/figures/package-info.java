/** The machine of a benchmark and the spread of its measurements, which all of them print. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.figures;

import org.jspecify.annotations.NullMarked;
