/** Blocking sockets: one thread accepts, and a handler reads, processes and writes. */
@NullMarked
package io.poolkeeper.testbed.servers.blocking;

import org.jspecify.annotations.NullMarked;
