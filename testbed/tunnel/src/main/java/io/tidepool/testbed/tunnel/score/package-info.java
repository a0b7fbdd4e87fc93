/** What a trace is worth, beside the traces of the best sizes. */
@NullMarked
package io.tidepool.testbed.tunnel.score;

import org.jspecify.annotations.NullMarked;
