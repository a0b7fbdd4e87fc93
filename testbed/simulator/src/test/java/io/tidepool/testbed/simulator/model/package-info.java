/** Tests of the package of the same name. */
@NullMarked
package io.tidepool.testbed.simulator.model;

import org.jspecify.annotations.NullMarked;
