/** Admission of a limiter: the gate, its waiters and leaks. */
@NullMarked
package io.poolkeeper.internal.limiter;

import org.jspecify.annotations.NullMarked;
