/** Tests of model files. */
@NullMarked
package io.poolkeeper.testbed.simulator.file;

import org.jspecify.annotations.NullMarked;
