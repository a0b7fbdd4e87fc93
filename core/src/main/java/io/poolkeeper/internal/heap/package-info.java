/** A heap that fills up: time spent in collections, and falls of the size because of it. */
@NullMarked
package io.poolkeeper.internal.heap;

import org.jspecify.annotations.NullMarked;
