/** The reactor under the conformance kit. */
@NullMarked
package io.tidepool.testbed.servers.nio;

import org.jspecify.annotations.NullMarked;
