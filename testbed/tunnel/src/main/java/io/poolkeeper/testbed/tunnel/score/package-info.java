/** Worth of a trace, beside the traces of the best sizes. */
@NullMarked
package io.poolkeeper.testbed.tunnel.score;

import org.jspecify.annotations.NullMarked;
