/** Measuring, queueing and admission. Not an API: nothing outside this library may depend on it. */
@NullMarked
package io.poolkeeper.internal;

import org.jspecify.annotations.NullMarked;
