/** A real RocksDB under load, for comparisons of what sizes its background threads. */
@NullMarked
package io.poolkeeper.testbed.rocksdb;

import org.jspecify.annotations.NullMarked;
