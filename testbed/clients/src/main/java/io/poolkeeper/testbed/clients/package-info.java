/**
 * Who sends requests, how many and when, as immutable descriptions: the same for the simulator and
 * for the load generator, so that a model can be asked what a measurement will find; and what they
 * saw, as both record it.
 */
@NullMarked
package io.poolkeeper.testbed.clients;

import org.jspecify.annotations.NullMarked;
