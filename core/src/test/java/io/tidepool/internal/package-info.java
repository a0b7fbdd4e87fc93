/** Tests of how measuring is done. */
@NullMarked
package io.tidepool.internal;

import org.jspecify.annotations.NullMarked;
