/** The parts that all server architectures share: how they start and stop, and what they serve. */
@NullMarked
package io.poolkeeper.testbed.servers.architectures;

import org.jspecify.annotations.NullMarked;
