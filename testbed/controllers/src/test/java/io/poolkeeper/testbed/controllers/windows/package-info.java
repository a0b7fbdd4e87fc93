/** Tests of this package, by hand-made windows and samples. */
@NullMarked
package io.poolkeeper.testbed.controllers.windows;

import org.jspecify.annotations.NullMarked;
