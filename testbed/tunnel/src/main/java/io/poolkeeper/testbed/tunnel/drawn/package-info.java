/** Plants, loads and noises that are drawn at random, each from a seed of its own. */
@NullMarked
package io.poolkeeper.testbed.tunnel.drawn;

import org.jspecify.annotations.NullMarked;
