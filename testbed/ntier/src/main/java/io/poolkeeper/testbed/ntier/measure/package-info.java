/** Cumulative figures of the application tier: threads, connections, requests. */
@NullMarked
package io.poolkeeper.testbed.ntier.measure;

import org.jspecify.annotations.NullMarked;
