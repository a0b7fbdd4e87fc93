/** Files that the runs leave in a folder, for the lab to read and for a later run to go on with. */
@NullMarked
package io.poolkeeper.testbed.tunnel.results;

import org.jspecify.annotations.NullMarked;
