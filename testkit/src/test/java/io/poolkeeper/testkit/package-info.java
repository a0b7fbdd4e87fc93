/** Tests of the kit itself, and of everything in core that is about time or controllers. */
@NullMarked
package io.poolkeeper.testkit;

import org.jspecify.annotations.NullMarked;
