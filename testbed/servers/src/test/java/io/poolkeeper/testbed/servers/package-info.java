/** Tests of the servers with real sockets. */
@NullMarked
package io.poolkeeper.testbed.servers;

import org.jspecify.annotations.NullMarked;
