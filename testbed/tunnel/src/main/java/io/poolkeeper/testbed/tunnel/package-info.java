/**
 * The wind tunnel: judges controllers in minutes, by running them on simulated pools whose best
 * sizes are known, under many loads and kinds of noise.
 */
@NullMarked
package io.poolkeeper.testbed.tunnel;

import org.jspecify.annotations.NullMarked;
