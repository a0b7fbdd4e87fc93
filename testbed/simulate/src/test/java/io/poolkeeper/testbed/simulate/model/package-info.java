/** Tests of model files. */
@NullMarked
package io.poolkeeper.testbed.simulate.model;

import org.jspecify.annotations.NullMarked;
