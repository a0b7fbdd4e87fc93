/** Tests of record alone. */
@NullMarked
package io.poolkeeper.testbed.clients.record;

import org.jspecify.annotations.NullMarked;
