/** Schema and generated data of the bulletin board: the same rows for the same seed and size. */
@NullMarked
package io.poolkeeper.testbed.ntier.data;

import org.jspecify.annotations.NullMarked;
