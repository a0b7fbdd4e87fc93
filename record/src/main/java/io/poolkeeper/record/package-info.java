/**
 * The run record: windows and decisions of running pools in files that the lab and the replay read.
 * The format is described in the folder {@code contract}.
 */
@NullMarked
package io.poolkeeper.record;

import org.jspecify.annotations.NullMarked;
