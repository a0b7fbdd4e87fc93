/** What a run measured, and how certain it is; apart, because other tools read it as well. */
@NullMarked
package io.poolkeeper.testbed.simulator.statistics;

import org.jspecify.annotations.NullMarked;
