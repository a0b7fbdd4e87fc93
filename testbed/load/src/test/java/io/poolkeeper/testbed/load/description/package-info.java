/** Tests of description alone. */
@NullMarked
package io.poolkeeper.testbed.load.description;

import org.jspecify.annotations.NullMarked;
