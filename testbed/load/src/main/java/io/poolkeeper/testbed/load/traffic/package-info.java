/** Who sends what and when, without a clock or a socket, so that tests play it in virtual time. */
@NullMarked
package io.poolkeeper.testbed.load.traffic;

import org.jspecify.annotations.NullMarked;
