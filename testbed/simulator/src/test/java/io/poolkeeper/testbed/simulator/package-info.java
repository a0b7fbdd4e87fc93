/** Tests of the simulator. */
@NullMarked
package io.poolkeeper.testbed.simulator;

import org.jspecify.annotations.NullMarked;
