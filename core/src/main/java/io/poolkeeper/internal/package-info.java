/**
 * Log and timer of all pools; the subpackages hold the parts of a pool. Not an API: code outside
 * this library must not depend on it.
 */
@NullMarked
package io.poolkeeper.internal;

import org.jspecify.annotations.NullMarked;
