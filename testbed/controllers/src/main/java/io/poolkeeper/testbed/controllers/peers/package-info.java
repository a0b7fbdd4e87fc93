/**
 * The sizing rules of other systems that decide once an interval, built from their description and
 * named after their source, so that they can be compared with ours in one harness.
 */
@NullMarked
package io.poolkeeper.testbed.controllers.peers;

import org.jspecify.annotations.NullMarked;
