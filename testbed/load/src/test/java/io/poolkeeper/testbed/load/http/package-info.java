/** Tests of http alone. */
@NullMarked
package io.poolkeeper.testbed.load.http;

import org.jspecify.annotations.NullMarked;
