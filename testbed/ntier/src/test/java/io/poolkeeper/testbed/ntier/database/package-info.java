/** Tests of the board's connections. */
@NullMarked
package io.poolkeeper.testbed.ntier.database;

import org.jspecify.annotations.NullMarked;
