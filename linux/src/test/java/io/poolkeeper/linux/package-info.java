@NullMarked
package io.poolkeeper.linux;

import org.jspecify.annotations.NullMarked;
