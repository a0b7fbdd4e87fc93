/** Connection pools of HikariCP that size themselves. */
@NullMarked
package io.poolkeeper.hikari;

import org.jspecify.annotations.NullMarked;
