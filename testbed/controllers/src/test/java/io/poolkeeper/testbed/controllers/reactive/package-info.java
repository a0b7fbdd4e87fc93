/** Tests of the reactive policies. */
@NullMarked
package io.poolkeeper.testbed.controllers.reactive;

import org.jspecify.annotations.NullMarked;
