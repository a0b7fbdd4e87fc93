/** Netty with handlers that block on threads that size themselves. */
@NullMarked
package io.poolkeeper.netty;

import org.jspecify.annotations.NullMarked;
