/**
 * The ways of a request from its reader to its processor: none, a queue, a ring, actors. Each is an
 * executor whose number of handlers can change while it runs.
 */
@NullMarked
package io.poolkeeper.testbed.servers.handover;

import org.jspecify.annotations.NullMarked;
