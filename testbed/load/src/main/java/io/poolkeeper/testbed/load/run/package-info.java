/** The load threads: clock, selector, traffic and counting put together. */
@NullMarked
package io.poolkeeper.testbed.load.run;

import org.jspecify.annotations.NullMarked;
