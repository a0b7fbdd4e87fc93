/** Checks what the commands of the testbed have in common. */
@NullMarked
package io.poolkeeper.testbed.controllers.command;

import org.jspecify.annotations.NullMarked;
