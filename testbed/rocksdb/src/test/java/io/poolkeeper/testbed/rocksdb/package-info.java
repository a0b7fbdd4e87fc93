@NullMarked
package io.poolkeeper.testbed.rocksdb;

import org.jspecify.annotations.NullMarked;
