/**
 * What others published about sizing pools, so that all of it can be judged in one harness: the
 * interface of policies that decide at the events of tasks, and what runs them on a real pool.
 */
@NullMarked
package io.poolkeeper.testbed.controllers;

import org.jspecify.annotations.NullMarked;
