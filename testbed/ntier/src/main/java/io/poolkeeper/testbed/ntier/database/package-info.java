/** The database as the bulletin board uses it: connections, statements, and their measurement. */
@NullMarked
package io.poolkeeper.testbed.ntier.database;

import org.jspecify.annotations.NullMarked;
