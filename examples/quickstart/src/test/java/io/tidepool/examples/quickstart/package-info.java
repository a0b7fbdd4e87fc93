/** Runs the quickstart as a user would. */
@NullMarked
package io.tidepool.examples.quickstart;

import org.jspecify.annotations.NullMarked;
