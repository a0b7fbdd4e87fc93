/**
 * The API for integrations with hosts, test clocks and recorders. Users of the library do not need
 * it.
 */
@NullMarked
package io.poolkeeper.spi;

import org.jspecify.annotations.NullMarked;
