/** The random parts of a description: when clients arrive, what they send, how long they think. */
@NullMarked
package io.poolkeeper.testbed.clients.random;

import org.jspecify.annotations.NullMarked;
