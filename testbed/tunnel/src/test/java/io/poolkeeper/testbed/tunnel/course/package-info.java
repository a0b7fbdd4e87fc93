/** Tests of the package of the same name. */
@NullMarked
package io.poolkeeper.testbed.tunnel.course;

import org.jspecify.annotations.NullMarked;
