/** Connection pools of Agroal, as Quarkus and WildFly have them, that size themselves. */
@NullMarked
package io.poolkeeper.agroal;

import org.jspecify.annotations.NullMarked;
