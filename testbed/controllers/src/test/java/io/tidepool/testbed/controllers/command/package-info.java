/** Checks what the commands of the testbed have in common. */
@NullMarked
package io.tidepool.testbed.controllers.command;

import org.jspecify.annotations.NullMarked;
