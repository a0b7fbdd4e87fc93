/**
 * Course of a run: what happens to a plant, stage by stage, and the sizes that would be best for
 * it.
 */
@NullMarked
package io.poolkeeper.testbed.tunnel.course;

import org.jspecify.annotations.NullMarked;
