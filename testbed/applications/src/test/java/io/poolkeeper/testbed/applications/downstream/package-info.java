/** Tests of the downstream server and its client, with faults. */
@NullMarked
package io.poolkeeper.testbed.applications.downstream;

import org.jspecify.annotations.NullMarked;
