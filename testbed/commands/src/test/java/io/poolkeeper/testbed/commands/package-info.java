/** Checks what the commands of the testbed have in common. */
@NullMarked
package io.poolkeeper.testbed.commands;

import org.jspecify.annotations.NullMarked;
