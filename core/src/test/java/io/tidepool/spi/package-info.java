/** Tests of what integrations use. */
@NullMarked
package io.tidepool.spi;

import org.jspecify.annotations.NullMarked;
