/** Tests of the codec: whatever bytes come, in whatever pieces. */
@NullMarked
package io.poolkeeper.testbed.servers.http;

import org.jspecify.annotations.NullMarked;
