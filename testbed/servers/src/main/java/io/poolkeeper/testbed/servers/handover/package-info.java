/**
 * How a request gets from who reads it to who processes it: by nothing, a queue, a ring, actors.
 * Each is an executor whose number of handlers can change while it runs.
 */
@NullMarked
package io.poolkeeper.testbed.servers.handover;

import org.jspecify.annotations.NullMarked;
