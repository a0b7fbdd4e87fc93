/** Tests of the package of the same name. */
@NullMarked
package io.poolkeeper.testbed.simulator.statistics;

import org.jspecify.annotations.NullMarked;
