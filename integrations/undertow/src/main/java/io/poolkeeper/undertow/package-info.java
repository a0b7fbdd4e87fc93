/** Undertow with requests on threads that size themselves. */
@NullMarked
package io.poolkeeper.undertow;

import org.jspecify.annotations.NullMarked;
