/** Tests of the reactive policies. */
@NullMarked
package io.tidepool.testbed.controllers.reactive;

import org.jspecify.annotations.NullMarked;
