/** A pool under its control loop: decisions, their log, what a pool remembers, hangs. */
@NullMarked
package io.poolkeeper.internal.loop;

import org.jspecify.annotations.NullMarked;
