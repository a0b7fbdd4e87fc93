/**
 * Common parts of the testbed's commands: one line for whatever is wrong, and no output that is
 * lost without a word.
 */
@NullMarked
package io.poolkeeper.testbed.controllers.command;

import org.jspecify.annotations.NullMarked;
