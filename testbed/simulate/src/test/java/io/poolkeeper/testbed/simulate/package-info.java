/** Tests of the command, its records and its tables. */
@NullMarked
package io.poolkeeper.testbed.simulate;

import org.jspecify.annotations.NullMarked;
