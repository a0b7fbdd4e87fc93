/** Properties {@code poolkeeper.*}: their meaning, their checks, and messages about mistakes. */
@NullMarked
package io.poolkeeper.spring.settings;

import org.jspecify.annotations.NullMarked;
