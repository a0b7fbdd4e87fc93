/** Tasks of a pool, their queues and their workers. */
@NullMarked
package io.poolkeeper.internal.executor;

import org.jspecify.annotations.NullMarked;
