/**
 * The results that a run leaves: the files of the run record and the lines that tell how it goes.
 */
@NullMarked
package io.poolkeeper.testbed.load.record;

import org.jspecify.annotations.NullMarked;
