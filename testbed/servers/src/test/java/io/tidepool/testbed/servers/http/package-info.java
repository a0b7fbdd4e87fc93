/** Tests of the codec: whatever bytes come, in whatever pieces. */
@NullMarked
package io.tidepool.testbed.servers.http;

import org.jspecify.annotations.NullMarked;
