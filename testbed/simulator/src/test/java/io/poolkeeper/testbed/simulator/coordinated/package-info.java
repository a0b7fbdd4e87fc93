/** Two pools of one service, sized together and apart, in virtual time. */
@NullMarked
package io.poolkeeper.testbed.simulator.coordinated;

import org.jspecify.annotations.NullMarked;
