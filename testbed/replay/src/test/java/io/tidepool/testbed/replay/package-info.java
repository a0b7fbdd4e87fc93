/** Tests of the commands. */
@NullMarked
package io.tidepool.testbed.replay;

import org.jspecify.annotations.NullMarked;
