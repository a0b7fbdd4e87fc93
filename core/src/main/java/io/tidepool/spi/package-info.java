/**
 * What an integration with a host, a test clock or a recorder implements; users need none of it.
 */
@NullMarked
package io.tidepool.spi;

import org.jspecify.annotations.NullMarked;
