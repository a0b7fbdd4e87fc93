/**
 * What of a description is left to chance: when clients arrive, what they send, how long they
 * think.
 */
@NullMarked
package io.poolkeeper.testbed.clients.random;

import org.jspecify.annotations.NullMarked;
