@NullMarked
package io.poolkeeper.netty;

import org.jspecify.annotations.NullMarked;
