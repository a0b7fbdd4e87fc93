/** What clients see, as it stands in a run record, whether they were real or simulated. */
@NullMarked
package io.tidepool.testbed.clients.record;

import org.jspecify.annotations.NullMarked;
