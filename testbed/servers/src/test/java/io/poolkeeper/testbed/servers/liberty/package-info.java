/** Open Liberty, there and missing. */
@NullMarked
package io.poolkeeper.testbed.servers.liberty;

import org.jspecify.annotations.NullMarked;
