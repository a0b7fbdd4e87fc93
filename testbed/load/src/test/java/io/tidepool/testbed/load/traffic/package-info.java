/** Tests of traffic alone. */
@NullMarked
package io.tidepool.testbed.load.traffic;

import org.jspecify.annotations.NullMarked;
