/** What is Netty's own business: its buffers. */
@NullMarked
package io.tidepool.testbed.servers.netty;

import org.jspecify.annotations.NullMarked;
