/** Tests of the package of the same name. */
@NullMarked
package io.poolkeeper.testbed.simulator.model;

import org.jspecify.annotations.NullMarked;
