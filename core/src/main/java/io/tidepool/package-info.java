/**
 * What a user of the library meets: pools that size themselves ({@link
 * io.tidepool.AdaptiveExecutor}, {@link io.tidepool.AdaptiveLimiter}), the loop that sizes
 * something which already runs ({@link io.tidepool.ControlLoop}), and the values that pass between
 * them. What an integration implements is in {@code spi}; everything in {@code internal} may change
 * without notice.
 */
@NullMarked
package io.tidepool;

import org.jspecify.annotations.NullMarked;
