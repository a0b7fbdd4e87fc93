/** Tests of the console, over real sockets. */
@NullMarked
package io.poolkeeper.console;

import org.jspecify.annotations.NullMarked;
