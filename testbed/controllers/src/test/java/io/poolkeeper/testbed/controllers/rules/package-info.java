/** Tests of this package, by hand-made windows and samples. */
@NullMarked
package io.poolkeeper.testbed.controllers.rules;

import org.jspecify.annotations.NullMarked;
