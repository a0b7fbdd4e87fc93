/** Checks that all controllers that work on windows need before they trust one. */
@NullMarked
package io.poolkeeper.testbed.controllers.windows;

import org.jspecify.annotations.NullMarked;
