/** Tests of the command, its records and its tables. */
@NullMarked
package io.poolkeeper.testbed.simulator.command;

import org.jspecify.annotations.NullMarked;
