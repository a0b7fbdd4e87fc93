/** Pools of a service, and the adapters that tune them. */
@NullMarked
package io.poolkeeper.spring.pools;

import org.jspecify.annotations.NullMarked;
