/** Counters without contention, and the holders of permits. */
@NullMarked
package io.poolkeeper.internal.meter;

import org.jspecify.annotations.NullMarked;
