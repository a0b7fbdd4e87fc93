/** The command that measures a disk by the number of threads, apart from pools and workloads. */
@NullMarked
package io.poolkeeper.testbed.disk.probe;

import org.jspecify.annotations.NullMarked;
