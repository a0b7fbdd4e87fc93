/** Tests of the vectors that other languages read. */
@NullMarked
package io.poolkeeper.testbed.controllers.vectors;

import org.jspecify.annotations.NullMarked;
