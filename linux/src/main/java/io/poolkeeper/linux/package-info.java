/**
 * Counters that Linux keeps of threads, processes and control groups, for pools whose limit is not
 * the processor. Apart from core, because they need a file system that only Linux has.
 */
@NullMarked
package io.poolkeeper.linux;

import org.jspecify.annotations.NullMarked;
