/**
 * The sizing rules of other systems, built from their description and named after their source, so
 * that they can be compared with ours in one harness. Rules that decide once an interval are
 * controllers; those that decide at every sample are policies.
 */
@NullMarked
package io.poolkeeper.testbed.controllers.peers;

import org.jspecify.annotations.NullMarked;
