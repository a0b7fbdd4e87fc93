@NullMarked
package io.poolkeeper.undertow;

import org.jspecify.annotations.NullMarked;
