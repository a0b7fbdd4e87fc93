/** Tests of the public types. */
@NullMarked
package io.tidepool;

import org.jspecify.annotations.NullMarked;
