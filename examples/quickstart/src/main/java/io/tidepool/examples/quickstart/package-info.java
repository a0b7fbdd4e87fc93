/** The smallest service that uses the library, to be copied from. */
@NullMarked
package io.tidepool.examples.quickstart;

import org.jspecify.annotations.NullMarked;
