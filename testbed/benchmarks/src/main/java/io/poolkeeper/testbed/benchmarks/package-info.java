/** Measures what the library costs the services that use it. */
@NullMarked
package io.poolkeeper.testbed.benchmarks;

import org.jspecify.annotations.NullMarked;
