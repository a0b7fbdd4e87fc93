/** Measures what pools, limiters, loops and sensors cost the services that use them. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.overhead;

import org.jspecify.annotations.NullMarked;
