/** Loads: who sends, when, and which requests; read from a file and checked. */
@NullMarked
package io.poolkeeper.testbed.load.description;

import org.jspecify.annotations.NullMarked;
