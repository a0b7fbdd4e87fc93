/** What happens to a plant in a run, stage by stage, and the sizes that would be best for it. */
@NullMarked
package io.poolkeeper.testbed.tunnel.course;

import org.jspecify.annotations.NullMarked;
