/** Tests against a real PostgreSQL, which are skipped where there is none. */
@NullMarked
package io.poolkeeper.testbed.ntier;

import org.jspecify.annotations.NullMarked;
