@NullMarked
package io.poolkeeper.rocksdb;

import org.jspecify.annotations.NullMarked;
