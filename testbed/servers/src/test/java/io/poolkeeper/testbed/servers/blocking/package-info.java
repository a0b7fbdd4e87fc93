/** Tests of the blocking server where it has little room. */
@NullMarked
package io.poolkeeper.testbed.servers.blocking;

import org.jspecify.annotations.NullMarked;
