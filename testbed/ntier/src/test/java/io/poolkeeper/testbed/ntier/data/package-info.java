/** Tests against a real PostgreSQL, which are skipped where there is none. */
@NullMarked
package io.poolkeeper.testbed.ntier.data;

import org.jspecify.annotations.NullMarked;
