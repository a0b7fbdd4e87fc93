/** What all server architectures have in common: how they start and stop, and what they serve. */
@NullMarked
package io.poolkeeper.testbed.servers.architectures;

import org.jspecify.annotations.NullMarked;
