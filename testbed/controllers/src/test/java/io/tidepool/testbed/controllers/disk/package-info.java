/** Tests of this package, by hand-made windows and samples. */
@NullMarked
package io.tidepool.testbed.controllers.disk;

import org.jspecify.annotations.NullMarked;
