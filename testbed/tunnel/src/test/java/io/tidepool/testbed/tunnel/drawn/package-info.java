/** Tests of the package of the same name. */
@NullMarked
package io.tidepool.testbed.tunnel.drawn;

import org.jspecify.annotations.NullMarked;
