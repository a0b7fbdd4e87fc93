/** Tests of what integrations use. */
@NullMarked
package io.poolkeeper.spi;

import org.jspecify.annotations.NullMarked;
