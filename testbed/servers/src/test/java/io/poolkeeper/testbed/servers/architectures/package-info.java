/** Tests of the parts that every architecture shares, whoever reads, processes and writes. */
@NullMarked
package io.poolkeeper.testbed.servers.architectures;

import org.jspecify.annotations.NullMarked;
