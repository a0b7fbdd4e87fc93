@NullMarked
package io.poolkeeper.testbed.benchmarks.disk;

import org.jspecify.annotations.NullMarked;
