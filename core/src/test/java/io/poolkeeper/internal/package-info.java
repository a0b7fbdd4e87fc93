/** Tests of the shared timer and log. */
@NullMarked
package io.poolkeeper.internal;

import org.jspecify.annotations.NullMarked;
