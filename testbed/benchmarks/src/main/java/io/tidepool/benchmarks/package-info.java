/** Measures what the library costs the services that use it. */
@NullMarked
package io.tidepool.benchmarks;

import org.jspecify.annotations.NullMarked;
