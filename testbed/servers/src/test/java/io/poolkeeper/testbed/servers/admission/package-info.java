/** Tests of limits in front of a server. */
@NullMarked
package io.poolkeeper.testbed.servers.admission;

import org.jspecify.annotations.NullMarked;
