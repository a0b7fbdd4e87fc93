/** Tests of this package, by hand-made windows and samples. */
@NullMarked
package io.tidepool.testbed.controllers.peers;

import org.jspecify.annotations.NullMarked;
