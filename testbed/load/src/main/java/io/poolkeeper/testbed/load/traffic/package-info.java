/** The senders of a load, without a clock or a socket, so that tests play them in virtual time. */
@NullMarked
package io.poolkeeper.testbed.load.traffic;

import org.jspecify.annotations.NullMarked;
