/** Cost and speed of adapters on their real hosts. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.integrations;

import org.jspecify.annotations.NullMarked;
