/** Tests of the wind tunnel, and the gate that controllers pass in it. */
@NullMarked
package io.poolkeeper.testbed.tunnel;

import org.jspecify.annotations.NullMarked;
