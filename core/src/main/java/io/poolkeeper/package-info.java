/**
 * The types that users of the library meet: pools that size themselves ({@link
 * io.poolkeeper.AdaptiveExecutor}, {@link io.poolkeeper.AdaptiveLimiter}), the loop that sizes
 * something which already runs ({@link io.poolkeeper.ControlLoop}), and the values that pass
 * between them. What an integration implements is in {@code spi}; everything in {@code internal}
 * may change without notice.
 */
@NullMarked
package io.poolkeeper;

import org.jspecify.annotations.NullMarked;
