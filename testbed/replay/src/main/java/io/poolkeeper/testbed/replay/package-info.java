/**
 * Controllers at a desk: what one decides about the windows of a recorded run, without the run, and
 * which controllers there are.
 */
@NullMarked
package io.poolkeeper.testbed.replay;

import org.jspecify.annotations.NullMarked;
