/** The pools that are judged on: how much a size gets done, by formula or as it was recorded. */
@NullMarked
package io.poolkeeper.testbed.tunnel.plant;

import org.jspecify.annotations.NullMarked;
