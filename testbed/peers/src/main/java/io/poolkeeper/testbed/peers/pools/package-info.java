/** The thread pools of others, each with the one size that people change while it runs. */
@NullMarked
package io.poolkeeper.testbed.peers.pools;

import org.jspecify.annotations.NullMarked;
