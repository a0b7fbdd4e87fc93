/**
 * Model files: what may stand in one, and how it is read and checked, so that whatever is wrong is
 * told with its line before anything is simulated.
 */
@NullMarked
package io.poolkeeper.testbed.simulator.file;

import org.jspecify.annotations.NullMarked;
