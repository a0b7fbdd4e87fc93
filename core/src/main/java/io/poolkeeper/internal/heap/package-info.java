/** Protection from a heap that fills up: collection time, and falls of the size. */
@NullMarked
package io.poolkeeper.internal.heap;

import org.jspecify.annotations.NullMarked;
