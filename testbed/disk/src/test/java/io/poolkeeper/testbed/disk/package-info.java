@NullMarked
package io.poolkeeper.testbed.disk;

import org.jspecify.annotations.NullMarked;
