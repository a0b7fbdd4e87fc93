/** The 24 interactions of the bulletin board, by what they are about. */
@NullMarked
package io.poolkeeper.testbed.ntier.interactions;

import org.jspecify.annotations.NullMarked;
