@NullMarked
package io.poolkeeper.testbed.disk.run;

import org.jspecify.annotations.NullMarked;
