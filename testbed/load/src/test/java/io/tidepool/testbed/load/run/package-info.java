/** Tests of run alone. */
@NullMarked
package io.tidepool.testbed.load.run;

import org.jspecify.annotations.NullMarked;
