/** Tests of this package. */
@NullMarked
package io.poolkeeper.testbed.applications.mariadb;

import org.jspecify.annotations.NullMarked;
