@NullMarked
package io.poolkeeper.spring.pools;

import org.jspecify.annotations.NullMarked;
