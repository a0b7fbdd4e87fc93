/** The view of clients in a run record, whether they were real or simulated. */
@NullMarked
package io.poolkeeper.testbed.clients.record;

import org.jspecify.annotations.NullMarked;
