/** Tests of the public types. */
@NullMarked
package io.poolkeeper;

import org.jspecify.annotations.NullMarked;
