/** The proactor under the conformance kit. */
@NullMarked
package io.tidepool.testbed.servers.nio2;

import org.jspecify.annotations.NullMarked;
