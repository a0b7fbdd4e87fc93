/** Tests of the run record. */
@NullMarked
package io.tidepool.record;

import org.jspecify.annotations.NullMarked;
