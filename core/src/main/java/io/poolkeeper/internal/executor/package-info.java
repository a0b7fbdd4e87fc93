/** Tasks, their queues, and the workers that run them. */
@NullMarked
package io.poolkeeper.internal.executor;

import org.jspecify.annotations.NullMarked;
