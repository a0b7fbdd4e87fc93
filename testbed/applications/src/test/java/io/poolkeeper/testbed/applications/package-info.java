/** Tests of the applications, with a real database. */
@NullMarked
package io.poolkeeper.testbed.applications;

import org.jspecify.annotations.NullMarked;
