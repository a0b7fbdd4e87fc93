/** Asynchronous channels: the system completes reads and writes, and calls back. */
@NullMarked
package io.poolkeeper.testbed.servers.nio2;

import org.jspecify.annotations.NullMarked;
