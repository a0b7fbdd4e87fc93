/** Controllers of pools whose tasks read and write files. */
@NullMarked
package io.poolkeeper.testbed.controllers.disk;

import org.jspecify.annotations.NullMarked;
