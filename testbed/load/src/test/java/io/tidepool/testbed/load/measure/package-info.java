/** Tests of measure alone. */
@NullMarked
package io.tidepool.testbed.load.measure;

import org.jspecify.annotations.NullMarked;
