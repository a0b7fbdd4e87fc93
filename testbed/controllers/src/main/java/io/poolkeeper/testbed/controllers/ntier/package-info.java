/**
 * Controllers from the literature on systems of several tiers, which find the concurrency of one
 * server from windows of a few milliseconds to a second.
 */
@NullMarked
package io.poolkeeper.testbed.controllers.ntier;

import org.jspecify.annotations.NullMarked;
