/** Tests of run alone. */
@NullMarked
package io.poolkeeper.testbed.load.run;

import org.jspecify.annotations.NullMarked;
