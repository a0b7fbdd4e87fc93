/** Rules built from their description against the artifacts that have them. */
@NullMarked
package io.tidepool.testbed.peers;

import org.jspecify.annotations.NullMarked;
