/** Tests of description alone. */
@NullMarked
package io.tidepool.testbed.load.description;

import org.jspecify.annotations.NullMarked;
