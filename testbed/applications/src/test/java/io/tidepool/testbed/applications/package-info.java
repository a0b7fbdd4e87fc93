/** Tests of the applications, with a real database. */
@NullMarked
package io.tidepool.testbed.applications;

import org.jspecify.annotations.NullMarked;
