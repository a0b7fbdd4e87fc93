/** Tests of Netty's own business: its buffers. */
@NullMarked
package io.poolkeeper.testbed.servers.netty;

import org.jspecify.annotations.NullMarked;
