/** One run of a disk workload on a pool, for the experiments of the lab. */
@NullMarked
package io.poolkeeper.testbed.disk.run;

import org.jspecify.annotations.NullMarked;
