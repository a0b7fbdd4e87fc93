/** Tests of traffic alone. */
@NullMarked
package io.poolkeeper.testbed.load.traffic;

import org.jspecify.annotations.NullMarked;
