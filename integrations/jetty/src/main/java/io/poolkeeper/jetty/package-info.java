/** A limit that sizes itself, in front of Jetty. */
@NullMarked
package io.poolkeeper.jetty;

import org.jspecify.annotations.NullMarked;
