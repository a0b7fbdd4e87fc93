/** Tests of the wind tunnel, and the gate that controllers pass in it. */
@NullMarked
package io.tidepool.testbed.tunnel;

import org.jspecify.annotations.NullMarked;
