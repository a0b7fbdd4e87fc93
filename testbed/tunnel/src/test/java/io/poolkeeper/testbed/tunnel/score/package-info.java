/** Tests of the package of the same name. */
@NullMarked
package io.poolkeeper.testbed.tunnel.score;

import org.jspecify.annotations.NullMarked;
