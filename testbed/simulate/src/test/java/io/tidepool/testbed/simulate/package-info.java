/** Tests of the command, its records and its tables. */
@NullMarked
package io.tidepool.testbed.simulate;

import org.jspecify.annotations.NullMarked;
