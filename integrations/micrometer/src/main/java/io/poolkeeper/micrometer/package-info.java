/** Meters of tuned pools for Micrometer. */
@NullMarked
package io.poolkeeper.micrometer;

import org.jspecify.annotations.NullMarked;
