/** Rules built from their description against the artifacts that have them. */
@NullMarked
package io.poolkeeper.testbed.peers;

import org.jspecify.annotations.NullMarked;
