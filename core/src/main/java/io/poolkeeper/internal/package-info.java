/**
 * Log and timer that all pools share. Below it are the parts that make a pool, by folder. Not an
 * API: nothing outside this library may depend on them.
 */
@NullMarked
package io.poolkeeper.internal;

import org.jspecify.annotations.NullMarked;
