/**
 * The mathematics of the response-curve controller: the posterior of a response curve, the loss of
 * each size, and the value of an experiment. Pure functions of numbers, without windows and state.
 * Not for users: types may change at any time.
 */
@NullMarked
package io.poolkeeper.controllers.curves;

import org.jspecify.annotations.NullMarked;
