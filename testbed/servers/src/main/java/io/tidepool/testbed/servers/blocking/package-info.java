/** Blocking sockets: one thread accepts, and a handler reads, processes and writes. */
@NullMarked
package io.tidepool.testbed.servers.blocking;

import org.jspecify.annotations.NullMarked;
