/**
 * {@code ./poolkeeper simulate}: plays model files, says what came out and how sure that is, and
 * leaves the record of a run. Apart from the simulator, which knows neither files nor commands.
 */
@NullMarked
package io.poolkeeper.testbed.simulator.command;

import org.jspecify.annotations.NullMarked;
