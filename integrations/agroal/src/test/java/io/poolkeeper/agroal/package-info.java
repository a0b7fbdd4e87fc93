@NullMarked
package io.poolkeeper.agroal;

import org.jspecify.annotations.NullMarked;
