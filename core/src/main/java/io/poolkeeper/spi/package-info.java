/**
 * What an integration with a host, a test clock or a recorder implements or makes windows with;
 * users need none of it.
 */
@NullMarked
package io.poolkeeper.spi;

import org.jspecify.annotations.NullMarked;
