/** The console: pools of a running program on a page, with what they learned and decided. */
@NullMarked
package io.poolkeeper.console;

import org.jspecify.annotations.NullMarked;
