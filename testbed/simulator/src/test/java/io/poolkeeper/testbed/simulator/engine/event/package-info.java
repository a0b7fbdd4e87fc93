/** Tests of the package of the same name. */
@NullMarked
package io.poolkeeper.testbed.simulator.engine.event;

import org.jspecify.annotations.NullMarked;
