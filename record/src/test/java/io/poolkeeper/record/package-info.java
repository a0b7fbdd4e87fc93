/** Tests of the run record. */
@NullMarked
package io.poolkeeper.record;

import org.jspecify.annotations.NullMarked;
