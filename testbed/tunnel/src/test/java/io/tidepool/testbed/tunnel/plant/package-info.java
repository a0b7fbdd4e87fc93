/** Tests of the package of the same name. */
@NullMarked
package io.tidepool.testbed.tunnel.plant;

import org.jspecify.annotations.NullMarked;
