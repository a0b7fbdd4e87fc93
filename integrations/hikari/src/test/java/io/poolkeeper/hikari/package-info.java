@NullMarked
package io.poolkeeper.hikari;

import org.jspecify.annotations.NullMarked;
