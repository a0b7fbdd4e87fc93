/**
 * Known faults of limiters and pools: each scenario is written once, shown on whoever has the
 * fault, and passed by ours. What came of it is said in words.
 */
@NullMarked
package io.poolkeeper.testbed.peers.faults;

import org.jspecify.annotations.NullMarked;
