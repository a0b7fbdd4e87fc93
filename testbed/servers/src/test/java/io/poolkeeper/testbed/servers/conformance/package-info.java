/** The kit that every architecture passes: what a server must do for clients of any kind. */
@NullMarked
package io.poolkeeper.testbed.servers.conformance;

import org.jspecify.annotations.NullMarked;
