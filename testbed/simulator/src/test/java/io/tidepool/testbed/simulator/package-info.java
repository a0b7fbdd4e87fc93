/** Tests of the simulator. */
@NullMarked
package io.tidepool.testbed.simulator;

import org.jspecify.annotations.NullMarked;
