/** Tests of how measuring is done. */
@NullMarked
package io.poolkeeper.internal;

import org.jspecify.annotations.NullMarked;
