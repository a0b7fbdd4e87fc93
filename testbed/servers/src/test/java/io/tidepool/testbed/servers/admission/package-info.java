/** Tests of limits in front of a server. */
@NullMarked
package io.tidepool.testbed.servers.admission;

import org.jspecify.annotations.NullMarked;
