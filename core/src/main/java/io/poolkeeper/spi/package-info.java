/**
 * Interfaces for integrations with hosts, test clocks and recorders, and the means to make windows;
 * users need none of it.
 */
@NullMarked
package io.poolkeeper.spi;

import org.jspecify.annotations.NullMarked;
