/** Flush and compaction threads of RocksDB, resized while the database runs. */
@NullMarked
package io.poolkeeper.rocksdb;

import org.jspecify.annotations.NullMarked;
