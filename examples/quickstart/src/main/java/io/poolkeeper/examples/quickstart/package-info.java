/** The smallest service that uses the library, to be copied from. */
@NullMarked
package io.poolkeeper.examples.quickstart;

import org.jspecify.annotations.NullMarked;
