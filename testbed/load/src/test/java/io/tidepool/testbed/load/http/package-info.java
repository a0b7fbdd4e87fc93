/** Tests of http alone. */
@NullMarked
package io.tidepool.testbed.load.http;

import org.jspecify.annotations.NullMarked;
