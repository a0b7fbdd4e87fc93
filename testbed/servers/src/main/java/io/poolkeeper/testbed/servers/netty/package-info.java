/** Netty's event loops and sockets: under the codec that all servers share, and under its own. */
@NullMarked
package io.poolkeeper.testbed.servers.netty;

import org.jspecify.annotations.NullMarked;
