/**
 * The API for users: pools that size themselves ({@link io.poolkeeper.AdaptiveExecutor}, {@link
 * io.poolkeeper.AdaptiveLimiter}), the loop that sizes an existing pool ({@link
 * io.poolkeeper.ControlLoop}), and their values. Package {@code spi} holds the API for
 * integrations. Everything in {@code internal} may change without notice.
 */
@NullMarked
package io.poolkeeper;

import org.jspecify.annotations.NullMarked;
