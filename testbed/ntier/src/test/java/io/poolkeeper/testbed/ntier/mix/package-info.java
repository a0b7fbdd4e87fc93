/** Tests of what is measured and of what is sent. */
@NullMarked
package io.poolkeeper.testbed.ntier.mix;

import org.jspecify.annotations.NullMarked;
