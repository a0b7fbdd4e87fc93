/** Arithmetic of the controllers of tiers, on exact data, and the kit. */
@NullMarked
package io.poolkeeper.testbed.controllers.ntier;

import org.jspecify.annotations.NullMarked;
