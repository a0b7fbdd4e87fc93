/** What every architecture must do, whoever reads, processes and writes. */
@NullMarked
package io.poolkeeper.testbed.servers.architectures;

import org.jspecify.annotations.NullMarked;
