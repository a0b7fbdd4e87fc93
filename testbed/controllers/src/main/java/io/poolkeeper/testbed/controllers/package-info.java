/**
 * Rules that others published for sizing pools, so that one harness can judge all of them: the
 * interface of policies that decide at the events of tasks, and what runs them on a real pool.
 */
@NullMarked
package io.poolkeeper.testbed.controllers;

import org.jspecify.annotations.NullMarked;
