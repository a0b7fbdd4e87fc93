/** The command that measures a disk, against a program that others trust. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.disk;

import org.jspecify.annotations.NullMarked;
