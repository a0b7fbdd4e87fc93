/** Tests of record alone. */
@NullMarked
package io.tidepool.testbed.clients.record;

import org.jspecify.annotations.NullMarked;
