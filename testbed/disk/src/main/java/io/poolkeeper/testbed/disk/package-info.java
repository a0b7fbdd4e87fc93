/** Work on real files: for pools whose limit is a disk, and to measure that disk. */
@NullMarked
package io.poolkeeper.testbed.disk;

import org.jspecify.annotations.NullMarked;
