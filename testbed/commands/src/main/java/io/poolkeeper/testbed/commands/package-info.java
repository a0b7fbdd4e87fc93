/**
 * The kit that all commands of the testbed share: arguments with one line for whatever is wrong,
 * output that is not lost without a word, messages, progress, an admin port, and an orderly stop.
 */
@NullMarked
package io.poolkeeper.testbed.commands;

import org.jspecify.annotations.NullMarked;
