/** Tests of model files. */
@NullMarked
package io.tidepool.testbed.simulate.model;

import org.jspecify.annotations.NullMarked;
