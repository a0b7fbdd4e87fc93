/** The kit that every architecture passes: what a server must do for clients of any kind. */
@NullMarked
package io.tidepool.testbed.servers.conformance;

import org.jspecify.annotations.NullMarked;
