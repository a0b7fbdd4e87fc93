/** Measures what the library costs the services that use it. */
@NullMarked
package io.poolkeeper.benchmarks;

import org.jspecify.annotations.NullMarked;
