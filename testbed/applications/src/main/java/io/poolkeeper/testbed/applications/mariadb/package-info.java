/** A MariaDB that a program starts, and that leaves nothing behind however the program ends. */
@NullMarked
package io.poolkeeper.testbed.applications.mariadb;

import org.jspecify.annotations.NullMarked;
