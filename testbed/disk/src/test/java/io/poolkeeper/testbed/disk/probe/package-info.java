@NullMarked
package io.poolkeeper.testbed.disk.probe;

import org.jspecify.annotations.NullMarked;
