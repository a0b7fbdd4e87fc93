/** Tests of the servers with real sockets. */
@NullMarked
package io.tidepool.testbed.servers;

import org.jspecify.annotations.NullMarked;
