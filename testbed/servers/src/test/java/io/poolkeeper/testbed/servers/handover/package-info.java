/** Handlers that join and leave while they work. */
@NullMarked
package io.poolkeeper.testbed.servers.handover;

import org.jspecify.annotations.NullMarked;
