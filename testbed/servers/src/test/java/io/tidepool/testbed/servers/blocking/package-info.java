/** Blocking sockets under the conformance kit. */
@NullMarked
package io.tidepool.testbed.servers.blocking;

import org.jspecify.annotations.NullMarked;
