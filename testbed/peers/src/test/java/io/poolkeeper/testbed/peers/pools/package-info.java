/** Tests of what all pools behind the interface have in common. */
@NullMarked
package io.poolkeeper.testbed.peers.pools;

import org.jspecify.annotations.NullMarked;
