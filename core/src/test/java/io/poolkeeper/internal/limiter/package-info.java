/** Tests of admission of a limiter: the gate, those who wait at it, and leaks. */
@NullMarked
package io.poolkeeper.internal.limiter;

import org.jspecify.annotations.NullMarked;
