/** Pools in virtual time, and the policies that size them at the events of tasks. */
@NullMarked
package io.poolkeeper.testbed.simulator.engine.pool;

import org.jspecify.annotations.NullMarked;
