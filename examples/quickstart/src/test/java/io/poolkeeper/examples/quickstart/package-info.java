/** Runs the quickstart as a user would. */
@NullMarked
package io.poolkeeper.examples.quickstart;

import org.jspecify.annotations.NullMarked;
