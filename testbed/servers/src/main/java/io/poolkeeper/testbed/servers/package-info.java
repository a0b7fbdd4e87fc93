/** Real HTTP servers whose pools are measured, and the commands that start them. */
@NullMarked
package io.poolkeeper.testbed.servers;

import org.jspecify.annotations.NullMarked;
