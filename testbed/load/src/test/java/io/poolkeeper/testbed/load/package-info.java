/**
 * Tests of the load generator, most of them over real sockets against the servers of this package.
 */
@NullMarked
package io.poolkeeper.testbed.load;

import org.jspecify.annotations.NullMarked;
