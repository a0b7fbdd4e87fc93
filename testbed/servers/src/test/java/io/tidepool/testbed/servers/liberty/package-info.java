/** Open Liberty, there and missing. */
@NullMarked
package io.tidepool.testbed.servers.liberty;

import org.jspecify.annotations.NullMarked;
