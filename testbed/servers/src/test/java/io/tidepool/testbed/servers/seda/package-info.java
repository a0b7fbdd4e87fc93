/** Stages under the conformance kit. */
@NullMarked
package io.tidepool.testbed.servers.seda;

import org.jspecify.annotations.NullMarked;
