/** Tests of the package of the same name. */
@NullMarked
package io.poolkeeper.testbed.tunnel.plant;

import org.jspecify.annotations.NullMarked;
