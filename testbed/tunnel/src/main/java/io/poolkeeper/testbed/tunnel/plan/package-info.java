/** Plan of the runs: who is judged, on what, and how often. */
@NullMarked
package io.poolkeeper.testbed.tunnel.plan;

import org.jspecify.annotations.NullMarked;
