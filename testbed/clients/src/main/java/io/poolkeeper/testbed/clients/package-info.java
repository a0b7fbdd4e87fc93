/**
 * Descriptions of clients: who sends requests, how many and when. They are immutable and the same
 * for the simulator and for the load generator, so that a model can be asked what a measurement
 * will find; and what clients saw, as both record it.
 */
@NullMarked
package io.poolkeeper.testbed.clients;

import org.jspecify.annotations.NullMarked;
