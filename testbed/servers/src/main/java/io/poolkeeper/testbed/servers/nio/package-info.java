/** Non-blocking sockets and a selector: one thread that is told which connections are ready. */
@NullMarked
package io.poolkeeper.testbed.servers.nio;

import org.jspecify.annotations.NullMarked;
