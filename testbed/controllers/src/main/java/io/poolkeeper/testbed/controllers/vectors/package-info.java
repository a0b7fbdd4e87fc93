/** Vectors that hold controllers in other languages to the classes of this one. */
@NullMarked
package io.poolkeeper.testbed.controllers.vectors;

import org.jspecify.annotations.NullMarked;
