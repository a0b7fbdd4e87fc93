/** Tests of the commands. */
@NullMarked
package io.poolkeeper.testbed.replay;

import org.jspecify.annotations.NullMarked;
