/** Tests of measure alone. */
@NullMarked
package io.poolkeeper.testbed.load.measure;

import org.jspecify.annotations.NullMarked;
