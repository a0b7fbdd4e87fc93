/**
 * Parts for tests of controllers and integrations: time that the test moves, a pool whose behaviour
 * is a formula, courses over it with noise and a score, windows in a line of code, and the checks
 * that every controller passes.
 */
@NullMarked
package io.poolkeeper.testkit;

import org.jspecify.annotations.NullMarked;
