/** Tests of the mathematics of response curves. */
@NullMarked
package io.poolkeeper.controllers.curves;

import org.jspecify.annotations.NullMarked;
